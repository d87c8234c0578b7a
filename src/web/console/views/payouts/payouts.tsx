import type { ApiClient, Schema } from '../../../../../libs/client';
import { may, type Person } from '../../session/staff';
import { Link } from '../../ui/address';
import { useAnswer, usePages } from '../../ui/asking';
import { Bulk, type BulkDeed } from '../../ui/bulk/bulk';
import { useRowChoice } from '../../ui/bulk/row-choice';
import { amountColumn, momentColumn } from '../../ui/columns';
import { spanText } from '../../ui/facts';
import { ChoiceFilter, Filters, TextFilter } from '../../ui/filters';
import { Lead, sumText } from '../../ui/lead';
import { type Column, Table } from '../../ui/table';
import { words } from '../../words';
import { listText } from '../../words/language';
import type { ViewProps } from '../view-props';
import { userColumn } from '../wallets/wallet-link';
import { ChannelChoice } from './channels/channel-choice';
import { readStandings, type Standing, useChannelNames } from './channels/channels-at-hand';
import { isOpenPayout, PayoutState } from './payout-state';
import { PayoutTabs } from './tabs';

type Payout = Schema<'PayoutDto'>;

const columnsOf = (names: Readonly<Record<string, string>>): readonly Column<Payout>[] => [
  {
    name: 'id',
    title: words.common.id,
    value: ({ id }) => Number(id),
    cell: ({ id }) => <Link to={['payouts', id]}>{id}</Link>,
    isNumber: true,
  },
  userColumn(),
  amountColumn(),
  {
    name: 'channel',
    title: words.labels.channelId,
    value: ({ channelId }) => names[channelId] ?? channelId,
    cell: ({ channelId }) => (
      <Link to={['payouts', 'channels', channelId]}>{names[channelId] ?? channelId}</Link>
    ),
  },
  {
    name: 'state',
    title: words.common.state,
    value: ({ state }) => state,
    cell: ({ state, code, action }) => (
      <>
        <PayoutState state={state} />
        {(code ?? action) && <small class="why">{code ?? action}</small>}
      </>
    ),
  },
  { name: 'why', title: words.payouts.why, value: ({ code, action }) => code ?? action, isInFilesOnly: true },
  momentColumn('asked', words.payouts.asked, 'createdAt'),
  momentColumn('ended', words.common.ended, 'endedAt'),
];

const keyOf = ({ id }: Payout): string => id;
const nameOf = ({ id, userId, amount, currency }: Payout): string =>
  `${id} · ${userId} · ${amount} ${currency}`;

const bulkDeeds = (api: ApiClient, person: Person): readonly BulkDeed<Payout>[] => [
  {
    title: words.payouts.askNow,
    will: words.payouts.askManyWill,
    isFor: (payout) => isOpenPayout(payout) && payout.userId !== person.sub,
    perform: ({ id }, key) => api.retryPayout(id, { key }),
  },
];

export function PayoutsView({ api, person, address: { query } }: ViewProps) {
  const { state = '', channel = '', user = '' } = query;
  const names = useChannelNames(api);
  const list = usePages(
    (cursor, options) =>
      api.listPayouts(
        {
          limit: 50,
          cursor,
          state: (state || undefined) as Payout['state'] | undefined,
          channelId: channel || undefined,
          userId: user || undefined,
        },
        options,
      ),
    [api, state, channel, user],
  );
  const standings = useAnswer((options) => readStandings(api, options), [api]);
  const askAll = () => {
    list.ask();
    standings.ask();
  };
  const isNarrowed = [state, channel, user].some((filter) => filter !== '');
  const mayDecide = may(person, 'manage-money');
  const choice = useRowChoice(list.rows, keyOf, nameOf);
  return (
    <>
      <div class="row">
        <h1>{words.navigation.parts.payouts}</h1>
      </div>
      <PayoutTabs current="" standings={standings.value} />
      {user === '' && !standings.fault && <OnTheWay standings={standings.value} channel={channel} />}
      <Filters>
        <ChoiceFilter
          name="state"
          label={words.common.state}
          value={state}
          options={{ '': words.common.all, ...words.payouts.states }}
        />
        <ChannelChoice names={names} value={channel} />
        <TextFilter name="user" label={words.labels.userId} value={user} />
      </Filters>
      {mayDecide && <Bulk {...{ choice, keyOf }} deeds={bulkDeeds(api, person)} onDone={askAll} />}
      <Table
        caption={words.navigation.parts.payouts}
        columns={columnsOf(names)}
        {...{ keyOf }}
        list={{ ...list, ask: askAll }}
        choice={mayDecide && list.rows?.some(isOpenPayout) ? choice : undefined}
        empty={isNarrowed ? words.payouts.none : words.payouts.noneYet}
      />
    </>
  );
}

interface OnTheWayProps {
  /** Undefined until they are read. */
  readonly standings: readonly Standing[] | undefined;
  /** Empty for all. */
  readonly channel: string;
}

/** The money of all open payouts, however many of them the list shows. */
function OnTheWay({ standings, channel }: OnTheWayProps) {
  if (standings === undefined) return <Lead figure="–">{words.common.loading}</Lead>;
  const through = standings.filter(({ channelId }) => channel === '' || channelId === channel);
  if (through.length === 0) return null;
  const payouts = through.reduce((sum, standing) => sum + standing.payouts, 0);
  const findings = through.reduce((sum, standing) => sum + standing.findings, 0);
  const held = through.filter(({ heldByFinding }) => heldByFinding).map(({ name }) => name);
  const oldest = Math.max(...through.map(({ oldestSeconds }) => oldestSeconds));
  return (
    <Lead figure={sumText(through)}>
      {payouts === 0 ? words.payouts.nothingOut : words.payouts.onTheWay(payouts, spanText(oldest))}
      {(findings > 0 || held.length > 0) && (
        <>
          {' '}
          <Link to={['payouts', 'findings']} query={findings > 0 ? { channel } : {}}>
            <span class="phase stop">
              {held.length > 0
                ? words.channels.areHeld(listText(held))
                : words.channels.openFindings(findings)}
            </span>
          </Link>
        </>
      )}
    </Lead>
  );
}
