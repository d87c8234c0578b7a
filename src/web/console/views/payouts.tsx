import type { Schema } from '../../../../libs/client';
import { Link, refine } from '../address';
import { usePages } from '../asking';
import { amountColumn, momentColumn, userColumn } from '../columns';
import { Choice, Field } from '../parts';
import { ChannelChoice } from '../payouts/channel-choice';
import { useChannelNames } from '../payouts/channels-at-hand';
import { Tabs } from '../payouts/tabs';
import { STATES } from '../payouts/words';
import { type Column, Table } from '../table';
import type { ViewProps } from '../view-props';

type Payout = Schema<'PayoutDto'>;

const columnsOf = (names: Readonly<Record<string, string>>): readonly Column<Payout>[] => [
  {
    name: 'id',
    title: 'Id',
    value: ({ id }) => Number(id),
    cell: ({ id }) => <Link to={['payouts', id]}>{id}</Link>,
    isNumber: true,
  },
  userColumn,
  amountColumn,
  {
    name: 'channel',
    title: 'Channel',
    value: ({ channelId }) => names[channelId] ?? channelId,
    cell: ({ channelId }) => (
      <Link to={['payouts', 'channels', channelId]}>{names[channelId] ?? channelId}</Link>
    ),
  },
  {
    name: 'state',
    title: 'State',
    value: ({ state }) => state,
    cell: ({ state }) => <span class={`phase payout-${state}`}>{STATES[state]}</span>,
  },
  { name: 'why', title: 'Why', value: ({ code, action }) => code ?? action },
  momentColumn('asked', 'Asked for', 'createdAt'),
  momentColumn('ended', 'Ended', 'endedAt'),
];

export function PayoutsView({ api, address: { query } }: ViewProps) {
  const { state = '', channel = '', user = '' } = query;
  const names = useChannelNames(api);
  const list = usePages(
    (cursor, signal) =>
      api.get('/v1/payouts', {
        query: {
          ...{ limit: 50, cursor },
          state: (state || undefined) as Payout['state'] | undefined,
          channelId: channel || undefined,
          userId: user || undefined,
        },
        signal,
      }),
    [api, state, channel, user],
  );
  return (
    <>
      <h1>Payouts</h1>
      <Tabs current="" />
      <div class="row">
        <Choice
          label="State"
          value={state}
          options={{ '': 'All', ...STATES }}
          onValue={(value) => refine({ state: value })}
        />
        <ChannelChoice names={names} value={channel} />
        <Field label="User" value={user} required={false} onValue={(value) => refine({ user: value })} />
        <button onClick={list.ask}>Look again</button>
      </div>
      <Table
        caption="Payouts"
        columns={columnsOf(names)}
        list={list}
        keyOf={({ id }) => id}
        empty="There is no such payout."
      />
    </>
  );
}
