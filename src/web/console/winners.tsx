import type { ApiClient, Schema } from '../../../libs/client';
import { refine } from './address';
import { usePages } from './asking';
import { momentColumn, userColumn } from './columns';
import { Field } from './parts';
import { type Column, Table } from './table';

const COLUMNS: readonly Column<Schema<'GrabbedPacketDto'>>[] = [
  { name: 'packet', title: 'Packet', value: ({ redPacketId }) => Number(redPacketId), isNumber: true },
  userColumn,
  {
    name: 'amount',
    title: 'Amount',
    value: ({ amount }) => Number(amount),
    cell: ({ amount }) => amount,
    isNumber: true,
  },
  { name: 'settlement', title: 'Payment', value: ({ settlement }) => settlement },
  momentColumn('confirmed', 'Won', 'confirmedAt'),
  momentColumn('credited', 'Paid', 'creditedAt'),
];

interface WinnersProps {
  readonly api: ApiClient;
  readonly activityId: string;
  /** The user whose packets are shown; those of all users when it is empty. */
  readonly userId: string;
}

export function Winners({ api, activityId, userId }: WinnersProps) {
  const list = usePages(
    (cursor, signal) =>
      api.get('/v1/activities/{id}/grabs', {
        path: { id: activityId },
        query: { limit: 50, cursor, userId: userId || undefined },
        signal,
      }),
    [api, activityId, userId],
  );
  return (
    <>
      <h2>Who got what</h2>
      <div class="row">
        <Field label="User" value={userId} required={false} onValue={(user) => refine({ user })} />
        <button onClick={list.ask}>Look again</button>
      </div>
      <Table
        caption="Winners"
        columns={COLUMNS}
        list={list}
        keyOf={({ redPacketId }) => redPacketId}
        empty="Nobody yet."
      />
    </>
  );
}
