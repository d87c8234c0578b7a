import type { ApiClient, Schema } from '../../../../../libs/client';
import { useCurrent, usePages } from '../../ui/asking';
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

interface WaitingListProps {
  readonly api: ApiClient;
  readonly activityId: string;
  /** The number of users who wait, as the page shows it. */
  readonly waiting: number;
}

/** The users who get the next packets. */
export function WaitingList({ api, activityId, waiting }: WaitingListProps) {
  const list = usePages(
    (cursor, options) => api.listWaitingUsers(activityId, { limit: 50, cursor }, options),
    [api, activityId],
  );
  useCurrent(list, [waiting]);
  return (
    <>
      <h2>{words.waitingList.title}</h2>
      <Table
        caption={words.waitingList.title}
        columns={columns()}
        list={list}
        keyOf={({ userId }) => userId}
        empty={waiting > 0 ? words.common.loading : words.waitingList.none}
      />
    </>
  );
}
