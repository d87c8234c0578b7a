import type { ApiClient, Schema } from '../../../../../libs/client';
import { go, hrefOf, Link, refine } from '../../ui/address';
import { usePages } from '../../ui/asking';
import { momentColumn } from '../../ui/columns';
import { ChoiceFilter, Filters } from '../../ui/filters';
import { IdForm } from '../../ui/open-form';
import { type Column, Table } from '../../ui/table';
import { words } from '../../words';
import { choosable, currencyAmong, useCurrencies } from '../currencies/currencies-at-hand';
import { CurrencyFilter } from '../currencies/currency-choice';
import type { ViewProps } from '../view-props';
import { WalletLink } from './wallet-link';
import { WalletStatus } from './wallet-status';

type Wallet = Schema<'ListedWalletDto'>;
type Sponsor = Schema<'SponsorDto'>;

/** Lists wallets and sponsors, and opens a wallet by its owner. */
export function WalletsView({ api, address: { query } }: ViewProps) {
  const { list = 'sponsors', owner = '', status = '', currency = '' } = query;
  const currencies = useCurrencies(api).value;
  const code = currencyAmong(currencies, currency)?.code ?? currency;
  return (
    <>
      <h1>{words.navigation.parts.wallets}</h1>
      <OpenWallet {...{ owner, currency }} />
      <nav class="row tabs" aria-label={words.walletLists.list}>
        {Object.entries(words.walletLists.lists).map(([name, title]) => (
          <Link key={name} to={['wallets']} query={{ list: name, owner, currency }} current={list === name}>
            {title}
          </Link>
        ))}
      </nav>
      {(list === 'wallets' || choosable(currencies).length > 1) && (
        <div class="of-lists">
          <Filters>
            <CurrencyFilter {...{ currencies }} value={currency} />
            {list === 'wallets' && (
              <ChoiceFilter
                name="status"
                label={words.common.status}
                value={status}
                options={{ '': words.common.all, ...words.wallets.statuses }}
              />
            )}
          </Filters>
        </div>
      )}
      {list === 'wallets' ? (
        <Wallets {...{ api, owner, status, currency, code }} />
      ) : (
        <Sponsors {...{ api, owner, currency, code }} />
      )}
    </>
  );
}

/** One field for both: the beginning of an id narrows the lists, and a whole one opens a wallet. */
function OpenWallet({ owner, currency }: { readonly owner: string; readonly currency: string }) {
  const said = words.wallets;
  return (
    <IdForm
      label={said.whose}
      hint={said.whoseHint}
      submit={said.open}
      id={owner}
      onId={(text) => refine({ owner: text })}
      onOpen={(id) => go(hrefOf(['wallets', id], { currency }))}
    />
  );
}

const moneyColumn = <Key extends string>(
  name: string,
  title: string,
  key: Key,
): Column<Readonly<Record<Key, string>> & { readonly currency: string }> => ({
  name,
  title,
  value: (row) => Number(row[key]),
  cell: (row) => `${row[key]} ${row.currency}`,
  isNumber: true,
  isMoney: true,
});

const statusColumn = (): Column<Pick<Wallet, 'status'>> => ({
  name: 'status',
  title: words.common.status,
  value: ({ status }) => words.wallets.statuses[status],
  cell: ({ status }) => <WalletStatus status={status} />,
});

const walletColumns = (): readonly Column<Wallet>[] => [
  {
    name: 'owner',
    title: words.walletLists.owner,
    value: ({ ownerId }) => ownerId,
    cell: ({ ownerId, currency }) => <WalletLink userId={ownerId} currency={currency} />,
  },
  moneyColumn('balance', words.wallets.balance, 'balance'),
  statusColumn(),
  momentColumn('since', words.common.since, 'createdAt'),
];

interface WalletsProps {
  readonly api: ApiClient;
  readonly owner: string;
  readonly status: string;
  /** Empty for the default. */
  readonly currency: string;
  /** The currency by its code, which an empty list names. */
  readonly code: string;
}

function Wallets({ api, owner, status, currency, code }: WalletsProps) {
  const list = usePages(
    (cursor, options) =>
      api.listWallets(
        {
          ...{ limit: 50, cursor, ownerId: owner || undefined, currency: currency || undefined },
          status: (status || undefined) as Wallet['status'],
        },
        options,
      ),
    [api, owner, status, currency],
  );
  return (
    <Table
      caption={words.walletLists.lists.wallets}
      columns={walletColumns()}
      list={list}
      keyOf={({ ownerId, currency }) => `${ownerId} ${currency}`}
      empty={owner || status ? words.common.noneFit : words.walletLists.noWallets(code)}
    />
  );
}

const sponsorColumns = (): readonly Column<Sponsor>[] => [
  {
    name: 'sponsor',
    title: words.labels.sponsorId,
    value: ({ sponsorId }) => sponsorId,
    cell: ({ sponsorId, currency }) => <WalletLink userId={sponsorId} currency={currency} />,
  },
  moneyColumn('balance', words.wallets.balance, 'balance'),
  moneyColumn('open', words.walletLists.inActivities, 'inActivities'),
  {
    name: 'activities',
    title: words.walletLists.activities,
    value: ({ activities }) => activities,
    cell: ({ sponsorId, activities }) =>
      activities === 0 ? (
        0
      ) : (
        <Link to={['activities']} query={{ sponsor: sponsorId }}>
          {activities}
        </Link>
      ),
    isNumber: true,
  },
  statusColumn(),
];

function Sponsors({ api, owner, currency, code }: Omit<WalletsProps, 'status'>) {
  const list = usePages(
    (cursor, options) =>
      api.listSponsors(
        { limit: 50, cursor, sponsorId: owner || undefined, currency: currency || undefined },
        options,
      ),
    [api, owner, currency],
  );
  return (
    <Table
      caption={words.walletLists.lists.sponsors}
      columns={sponsorColumns()}
      list={list}
      keyOf={({ sponsorId, currency }) => `${sponsorId} ${currency}`}
      empty={owner ? words.common.noneFit : words.walletLists.noSponsors(code)}
    />
  );
}
