import type { ApiClient, Schema } from '../../../../../libs/client';
import { usePages } from '../../ui/asking';
import { momentColumn } from '../../ui/columns';
import { TextFilter } from '../../ui/filters';
import { type Column, Table } from '../../ui/table';
import { words } from '../../words';
import { userColumn } from '../wallets/wallet-link';
import { WinLink } from '../wins/win-link';

const columns = (): readonly Column<Schema<'GrabbedPacketDto'>>[] => [
  {
    name: 'packet',
    title: words.winners.packet,
    value: ({ redPacketId }) => Number(redPacketId),
    cell: (win) => <WinLink win={win}>{win.redPacketId}</WinLink>,
    isNumber: true,
  },
  userColumn(),
  {
    name: 'amount',
    title: words.labels.amount,
    value: ({ amount }) => Number(amount),
    cell: ({ amount }) => amount,
    isNumber: true,
  },
  {
    name: 'settlement',
    title: words.winners.payment,
    value: ({ settlement }) => words.winners.settlements[settlement],
  },
  momentColumn('confirmed', words.winners.won, 'confirmedAt'),
  momentColumn('credited', words.winners.paid, 'creditedAt'),
];

interface WinnersProps {
  readonly api: ApiClient;
  readonly activityId: string;
  /** The user whose packets are shown; if empty, those of all users are. */
  readonly userId: string;
}

export function Winners({ api, activityId, userId }: WinnersProps) {
  const list = usePages(
    (cursor, options) =>
      api.listGrabs(activityId, { limit: 50, cursor, userId: userId || undefined }, options),
    [api, activityId, userId],
  );
  return (
    <>
      <h2>{words.winners.title}</h2>
      <div class="row">
        <TextFilter name="user" label={words.labels.userId} value={userId} />
        <button onClick={list.ask}>{words.common.lookAgain}</button>
      </div>
      <Table
        caption={words.winners.caption}
        columns={columns()}
        list={list}
        keyOf={({ redPacketId }) => redPacketId}
        empty={words.winners.none}
      />
    </>
  );
}
