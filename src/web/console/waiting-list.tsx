import type { ApiClient, Schema } from '../../../libs/client';
import { Link } from './address';
import { usePages } from './asking';
import { type Column, Table } from './table';

const COLUMNS: readonly Column<Schema<'WaitingUserDto'>>[] = [
  { name: 'position', title: 'Position', value: ({ position }) => position, isNumber: true },
  {
    name: 'waiting',
    title: 'Who waits',
    value: ({ userId }) => userId,
    cell: ({ userId }) => <Link to={['wallets', userId]}>{userId}</Link>,
  },
];

/** The users who get the next packets. */
export function WaitingList({ api, activityId }: { readonly api: ApiClient; readonly activityId: string }) {
  const list = usePages(
    (cursor, signal) =>
      api.get('/v1/activities/{id}/waitlist', {
        path: { id: activityId },
        query: { limit: 50, cursor },
        signal,
      }),
    [api, activityId],
  );
  return (
    <>
      <h2>Waiting list</h2>
      <button onClick={list.ask}>Look again</button>
      <Table
        caption="Waiting list"
        columns={COLUMNS}
        list={list}
        keyOf={({ userId }) => userId}
        empty="Nobody waits."
      />
    </>
  );
}
