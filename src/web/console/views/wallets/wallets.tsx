import { useState } from 'preact/hooks';
import type { ApiClient, Schema } from '../../../../../libs/client';
import { isOfCodes } from '../../../kit/money';
import { may } from '../../session/staff';
import { Link } from '../../ui/address';
import { type AskedWith, useAnswer, useDeed, usePages } from '../../ui/asking';
import { amountColumn, momentColumn } from '../../ui/columns';
import { Confirmed } from '../../ui/confirmed';
import { Facts } from '../../ui/facts';
import { ChoiceFilter, Filters } from '../../ui/filters';
import { Field } from '../../ui/form';
import { FormDialog } from '../../ui/form-dialog';
import { notify } from '../../ui/notices';
import { Complaint } from '../../ui/outcome';
import { ReviewedDialog } from '../../ui/reviewed';
import { type Column, Table } from '../../ui/table';
import { words } from '../../words';
import { moneyText } from '../../words/language';
import { reviewDeposit } from '../booking-review';
import { poolOf } from '../code-pools/pools-at-hand';
import { type Currency, currencyAmong, useCurrencies } from '../currencies/currencies-at-hand';
import { AmountField, CurrencyFilter } from '../currencies/currency-choice';
import type { ViewProps } from '../view-props';
import { WinLink } from '../wins/win-link';
import { useReversals } from './reversals';
import { Statements } from './statements';
import { Story, type UserHistory, userStoryOf } from './user-story';
import { WalletStatus } from './wallet-status';

type Entry = Schema<'EntryDto'>;
type Wallet = Schema<'WalletDto'>;

const columns = (ownerId: string): readonly Column<Entry>[] => [
  {
    name: 'id',
    title: words.wallets.transfer,
    value: ({ transferId }) => Number(transferId),
    isNumber: true,
  },
  momentColumn('at', words.common.when, 'at'),
  {
    name: 'kind',
    title: words.wallets.kind,
    value: ({ kind }) => words.wallets.kinds[kind],
    cell: ({ kind, activityId }) =>
      kind === 'credit' && activityId ? (
        <WinLink win={{ activityId, userId: ownerId }}>{words.wallets.kinds[kind]}</WinLink>
      ) : (
        words.wallets.kinds[kind]
      ),
  },
  amountColumn(),
  {
    name: 'activity',
    title: words.labels.activityId,
    value: ({ activityId }) => activityId,
    cell: ({ activityId }) => activityId && <Link to={['activities', activityId]}>{activityId}</Link>,
  },
  { name: 'reference', title: words.labels.reference, value: referenceOf },
];

/** The reference of a deposit, and how it and its reversal belong together. */
function referenceOf({ reference, reversedBy, reverses }: Entry): string | null {
  if (reverses) return words.wallets.reverses(reverses);
  const reversed = reversedBy && words.wallets.reversedBy(reversedBy);
  return [reference, reversed].filter(Boolean).join(' · ') || null;
}

export function WalletView({
  api,
  person,
  address: { query },
  ownerId,
}: ViewProps & { readonly ownerId: string }) {
  const { kind = '', currency: chosen = '' } = query;
  const currency = chosen || undefined;
  const currencies = useCurrencies(api).value;
  const isByHand = currencyAmong(currencies, chosen)?.kind !== 'codes';
  const wallet = useAnswer(
    (options) => api.readWallet(ownerId, { currency }, options),
    [api, ownerId, currency],
  );
  const budget = useAnswer(
    (options) => api.readBudget(ownerId, { currency }, options),
    [api, ownerId, currency],
  );
  const entries = usePages(
    (cursor, options) =>
      api.listWalletEntries(
        ownerId,
        { limit: 50, cursor, currency, kind: (kind || undefined) as Entry['kind'] },
        options,
      ),
    [api, ownerId, currency, kind],
  );
  const inRains = useAnswer(
    (options) => inActivities(api, ownerId, currency, options),
    [api, ownerId, currency],
  );
  const story = useAnswer((options) => userStoryOf(api, ownerId, options), [api, ownerId]);
  const reversals = useReversals(api, person, ownerId);
  const isMissing = wallet.value?.createdAt === null;
  const isThere = wallet.value !== undefined && !isMissing;
  /** Something has been booked. */
  const isListed = kind !== '' || entries.rows?.length !== 0;
  const askAll = () => {
    wallet.ask();
    entries.ask();
    story.ask();
    reversals.ask();
  };
  return (
    <>
      <div class="row titled">
        <h1>
          {words.wallets.title(ownerId)}
          {isThere && (
            <>
              {'\u00a0'}
              <WalletStatus status={wallet.value.status} />
            </>
          )}
        </h1>
        <div class="row">
          {may(person, 'manage-money') && isByHand && (
            <DepositForm
              key={chosen}
              {...{ api, ownerId, currencies, currency }}
              isMain={wallet.value?.status !== 'frozen'}
              onDone={askAll}
            />
          )}
          {may(person, 'administer') && isByHand && isThere && budget.value && (
            <BudgetForm
              key={chosen}
              {...{ api, ownerId, currencies, currency }}
              budget={budget.value}
              onDone={budget.ask}
            />
          )}
          {may(person, 'manage-money') && isThere && (
            <Freezing api={api} wallet={wallet.value} onDone={askAll} />
          )}
        </div>
      </div>
      <Complaint fault={wallet.fault} />
      <div class="panel of-currency">
        {wallet.value && (
          <Standing
            wallet={wallet.value}
            inRains={inRains.value}
            budget={budget.value}
            history={story.value}
          />
        )}
        <CurrencyFilter currencies={currencies} value={chosen} />
      </div>
      {isMissing && <NoneYet {...{ ownerId }} currency={wallet.value.currency} />}
      {wallet.value && <Story story={story} currency={wallet.value.currency} />}
      {isThere && (
        <>
          <div class="row heading">
            <h2>{words.wallets.entries}</h2>
            {isListed && <Statements key={chosen} api={api} ownerId={ownerId} currency={currency} />}
          </div>
          {isListed && (
            <Filters>
              <ChoiceFilter
                name="kind"
                label={words.wallets.kind}
                value={kind}
                options={{ '': words.common.all, ...words.wallets.kinds }}
              />
            </Filters>
          )}
          <Table
            caption={words.wallets.entries}
            columns={[...columns(ownerId), ...(isByHand ? reversals.columns : [])]}
            list={{ ...entries, ask: askAll }}
            keyOf={({ transferId }) => transferId}
            empty={kind === '' ? words.wallets.noEntries : words.common.thereAreNone}
          />
        </>
      )}
    </>
  );
}

/** What opens a wallet that is not there. */
function NoneYet({ ownerId, currency }: Pick<Wallet, 'ownerId' | 'currency'>) {
  const pool = poolOf(currency);
  if (pool === undefined) return <p class="empty">{words.wallets.noneYet(ownerId, currency)}</p>;
  return (
    <div class="empty">
      <p>{words.wallets.noCodesYet(ownerId, currency)}</p>
      <Link class="button" to={['code-pools', pool]}>
        {words.wallets.toPool(pool)}
      </Link>
    </div>
  );
}

/** The money of a user in activities that have not ended; undefined if there is none. */
async function inActivities(
  api: ApiClient,
  sponsorId: string,
  currency: string | undefined,
  options: AskedWith,
): Promise<string | undefined> {
  const { items } = await api.listSponsors({ sponsorId, currency, limit: 1 }, options);
  const own = items.find((one) => one.sponsorId === sponsorId && one.activities > 0);
  return own?.inActivities;
}

interface StandingProps {
  readonly wallet: Wallet;
  readonly inRains?: string;
  readonly budget?: Schema<'BudgetDto'>;
  readonly history?: UserHistory;
}

/** Codes are counted; their currency is among the filters. */
const amountOf = (amount: string, currency: string): string =>
  isOfCodes(currency) ? words.codePools.ofPool(amount, currency) : moneyText(amount, currency);

function Standing({
  wallet: { ownerId, balance, pending, currency, createdAt },
  inRains,
  budget,
  history,
}: StandingProps) {
  const said = words.wallets;
  const waiting = history?.waiting(currency);
  return (
    <Facts
      leads
      label={said.standing}
      facts={{
        [said.balance]: amountOf(balance, currency),
        [said.pending]: createdAt === null ? undefined : amountOf(pending, currency),
        [words.walletLists.inActivities]: inRains && (
          <Link to={['activities']} query={{ sponsor: ownerId }}>
            {amountOf(inRains, currency)}
          </Link>
        ),
        [said.waiting]: waiting && (
          <Link class="warning" to={['dead-letters']} query={{ user: ownerId }}>
            {waiting}
          </Link>
        ),
        [words.labels.perDay]: budget?.perDay && `${budget.perDay} ${currency}`,
        [said.budgetUsed]: budget?.spentToday && `${budget.spentToday} ${currency}`,
      }}
    />
  );
}

interface DeedProps {
  readonly api: ApiClient;
  readonly onDone: () => void;
}

function Freezing({
  api,
  wallet: { ownerId, currency, status },
  onDone,
}: DeedProps & { readonly wallet: Wallet }) {
  const freeze = async (key: string) => {
    await api.freezeWallet(ownerId, { currency }, { key });
    onDone();
    return words.wallets.isFrozen;
  };
  const unfreeze = async (key: string) => {
    await api.unfreezeWallet(ownerId, { currency }, { key });
    onDone();
    return words.wallets.isInUse;
  };
  return status === 'active' ? (
    <Confirmed
      title={words.wallets.freeze}
      isDangerous
      consequence={words.wallets.freezeWill(ownerId)}
      onConfirm={freeze}
    />
  ) : (
    <Confirmed
      isMain
      title={words.wallets.unfreeze}
      consequence={words.wallets.unfreezeWill(ownerId)}
      onConfirm={unfreeze}
    />
  );
}

/** A wallet that forms are about. */
interface WalletFormProps extends DeedProps {
  readonly ownerId: string;
  readonly currencies: readonly Currency[] | undefined;
  /** The default when left out. */
  readonly currency: string | undefined;
}

interface BudgetFormProps extends WalletFormProps {
  readonly budget: Schema<'BudgetDto'>;
}

function BudgetForm({
  api,
  ownerId,
  currencies,
  currency,
  budget: { perDay: former },
  onDone,
}: BudgetFormProps) {
  const [perDay, setPerDay] = useState('');
  const deed = useDeed();
  const set = () =>
    deed.run(async () => {
      const budget = await api.setBudget(ownerId, { perDay, currency });
      setPerDay('');
      onDone();
      notify({ text: words.wallets.budgetSet(`${budget.perDay} ${budget.currency}`) });
      return undefined;
    });
  const end = async () => {
    await api.deleteBudget(ownerId, { currency });
    onDone();
    return words.wallets.budgetEnded;
  };
  return (
    <>
      <FormDialog
        title={words.wallets.setBudget}
        submit={words.wallets.saveBudget}
        deed={deed}
        onSubmit={set}
      >
        <AmountField
          currencies={currencies}
          value={currency ?? ''}
          label={words.labels.perDay}
          amount={perDay}
          onAmount={setPerDay}
          hint={words.wallets.budgetHint}
        />
      </FormDialog>
      {former && (
        <Confirmed
          title={words.wallets.endBudget}
          isDangerous
          consequence={words.wallets.endBudgetWill(ownerId)}
          onConfirm={end}
        />
      )}
    </>
  );
}

interface DepositFormProps extends WalletFormProps {
  readonly isMain: boolean;
}

function DepositForm({ api, ownerId, currencies, currency, isMain, onDone }: DepositFormProps) {
  const [amount, setAmount] = useState('');
  const [reference, setReference] = useState('');
  const deposit = async (key: string) => {
    const body = { amount, currency, ...(reference && { reference }) };
    const deposit = await api.depositMoney(ownerId, body, { key });
    // Pressed again, a form that is still filled in would book the same once more.
    setAmount('');
    setReference('');
    onDone();
    return deposit.status === 201
      ? words.wallets.deposited(`${deposit.body.balance} ${deposit.body.currency}`)
      : words.common.nothingYet;
  };
  return (
    <ReviewedDialog
      title={words.wallets.newDeposit}
      isMain={isMain}
      submit={words.wallets.deposit}
      review={() => reviewDeposit(api, { ownerId, amount, currency })}
      onConfirm={deposit}
    >
      <AmountField
        currencies={currencies}
        value={currency ?? ''}
        label={words.labels.amount}
        amount={amount}
        onAmount={setAmount}
      />
      <Field
        label={words.labels.reference}
        value={reference}
        required={false}
        onValue={setReference}
        hint={words.wallets.referenceHint}
      />
    </ReviewedDialog>
  );
}
