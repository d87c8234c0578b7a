import type { ApiClient, Schema } from '../../../../../libs/client';
import { may, type Person } from '../../session/staff';
import { Link } from '../../ui/address';
import { usePages } from '../../ui/asking';
import { Bulk, type BulkDeed } from '../../ui/bulk/bulk';
import { useRowChoice } from '../../ui/bulk/row-choice';
import { amountColumn, momentColumn } from '../../ui/columns';
import { ChoiceFilter, TextFilter } from '../../ui/filters';
import { type Column, Table } from '../../ui/table';
import { words } from '../../words';
import type { ViewProps } from '../view-props';
import { userColumn } from '../wallets/wallet-link';
import { ChannelChoice } from './channels/channel-choice';
import { useChannelNames } from './channels/channels-at-hand';
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
    cell: ({ state }) => <PayoutState state={state} />,
  },
  { name: 'why', title: words.payouts.why, value: ({ code, action }) => code ?? action, isProse: true },
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
  const isNarrowed = [state, channel, user].some((filter) => filter !== '');
  const mayDecide = may(person, 'manage-money');
  const choice = useRowChoice(list.rows, keyOf, nameOf);
  return (
    <>
      <h1>{words.navigation.parts.payouts}</h1>
      <PayoutTabs current="" />
      <div class="row">
        <ChoiceFilter
          name="state"
          label={words.common.state}
          value={state}
          options={{ '': words.common.all, ...words.payouts.states }}
        />
        <ChannelChoice names={names} value={channel} />
        <TextFilter name="user" label={words.labels.userId} value={user} />
      </div>
      {mayDecide && <Bulk {...{ choice, keyOf }} deeds={bulkDeeds(api, person)} onDone={list.ask} />}
      <Table
        caption={words.navigation.parts.payouts}
        columns={columnsOf(names)}
        {...{ list, keyOf }}
        choice={mayDecide && list.rows?.some(isOpenPayout) ? choice : undefined}
        empty={isNarrowed ? words.payouts.none : words.payouts.noneYet}
      />
    </>
  );
}
