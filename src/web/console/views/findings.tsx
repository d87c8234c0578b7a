import type { Schema } from '../../../../libs/client';
import { Link, refine } from '../address';
import { usePages } from '../asking';
import { momentColumn } from '../columns';
import { Choice } from '../parts';
import { ChannelChoice } from '../payouts/channel-choice';
import { useChannelNames } from '../payouts/channels-at-hand';
import { FindingDeeds } from '../payouts/finding-deeds';
import { Tabs } from '../payouts/tabs';
import { factsText, kindText } from '../payouts/words';
import { may } from '../staff';
import { type Column, Table } from '../table';
import type { ViewProps } from '../view-props';

type Finding = Schema<'FindingDto'>;

const columnsOf = (names: Readonly<Record<string, string>>): readonly Column<Finding>[] => [
  { name: 'id', title: 'Id', value: ({ id }) => Number(id), isNumber: true },
  {
    name: 'kind',
    title: 'What was found',
    value: ({ kind }) => kind,
    cell: ({ kind, detail }) => (
      <>
        {kindText(kind)} <small>{factsText(detail)}</small>
      </>
    ),
  },
  {
    name: 'payout',
    title: 'Payout',
    value: ({ payoutId }) => Number(payoutId),
    cell: ({ payoutId }) => payoutId && <Link to={['payouts', payoutId]}>{payoutId}</Link>,
    isNumber: true,
  },
  { name: 'channel', title: 'Channel', value: ({ channelId }) => names[channelId] ?? channelId },
  momentColumn('found', 'Found', 'foundAt'),
  { name: 'owner', title: 'Owner', value: ({ owner }) => owner, cell: ({ owner }) => owner ?? 'Nobody yet' },
];

const ENDED: readonly Column<Finding>[] = [
  momentColumn('ended', 'Ended', 'endedAt'),
  {
    name: 'how',
    title: 'How',
    value: ({ resolution }) => resolution,
    cell: ({ endedBy, resolution }) => `${endedBy}: ${resolution}`,
  },
];

export function FindingsView({ api, person, address: { query } }: ViewProps) {
  const { state = 'open', channel = '' } = query;
  const names = useChannelNames(api);
  const list = usePages(
    (cursor, signal) =>
      api.get('/v1/payout-findings', {
        query: { limit: 50, cursor, state: state as 'open' | 'ended', channelId: channel || undefined },
        signal,
      }),
    [api, state, channel],
  );
  const deeds: Column<Finding> = {
    name: 'deeds',
    title: 'What can be done',
    value: () => null,
    cell: (finding) => <FindingDeeds api={api} finding={finding} onDone={list.ask} />,
  };
  const last = state === 'ended' ? ENDED : may(person, 'manage-money') ? [deeds] : [];
  return (
    <>
      <h1>Findings</h1>
      <Tabs current="findings" />
      <p>
        A channel says something else than our books. Find out what happened, set it right, and end the
        finding; until then <code>npm run verify</code> fails.
      </p>
      <div class="row">
        <Choice
          label="State"
          value={state}
          options={{ open: 'Open', ended: 'Ended' }}
          onValue={(value) => refine({ state: value })}
        />
        <ChannelChoice names={names} value={channel} />
        <button onClick={list.ask}>Look again</button>
      </div>
      <Table
        caption="Findings"
        columns={[...columnsOf(names), ...last]}
        list={list}
        keyOf={({ id }) => id}
        empty="There are none."
      />
    </>
  );
}
