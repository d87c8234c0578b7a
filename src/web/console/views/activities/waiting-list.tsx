import type { ApiClient, Schema } from '../../../../../libs/client';
import { usePages } from '../../ui/asking';
import { type Column, Table } from '../../ui/table';
import { words } from '../../words';
import { WalletLink } from '../wallets/wallet-link';

const columns = (): readonly Column<Schema<'WaitingUserDto'>>[] => [
  { name: 'position', title: words.waitingList.position, value: ({ position }) => position, isNumber: true },
  {
    name: 'waiting',
    title: words.waitingList.who,
    value: ({ userId }) => userId,
    cell: ({ userId }) => <WalletLink userId={userId} />,
  },
];

/** The users who get the next packets. */
export function WaitingList({ api, activityId }: { readonly api: ApiClient; readonly activityId: string }) {
  const list = usePages(
    (cursor, options) => api.listWaitingUsers(activityId, { limit: 50, cursor }, options),
    [api, activityId],
  );
  return (
    <>
      <h2>{words.waitingList.title}</h2>
      <button onClick={list.ask}>{words.common.lookAgain}</button>
      <Table
        caption={words.waitingList.title}
        columns={columns()}
        list={list}
        keyOf={({ userId }) => userId}
        empty={words.waitingList.none}
      />
    </>
  );
}
