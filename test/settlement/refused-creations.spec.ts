import { ActivityCreation } from '../../src/core/lifecycle/create/activity-creation';
import { codeOf } from '../harness/problems';
import { books, proveBooks, shareBooks } from '../harness/shared-books';

proveBooks();
shareBooks({ SENDER_SUM_DAILY_MAX: 'CNY=10.00' });

const HOUR_MS = 3_600_000;
const BUSY = { userId: 'busy', role: 'user' } as const;

const create = (userId: string, totalAmount = '5.00'): Promise<string> =>
  codeOf(
    books.dataSource.transaction((tx) =>
      books
        .serviceOf(ActivityCreation)
        .create(
          tx,
          { userId, role: 'user' },
          {
            name: 'Packets',
            totalAmount,
            packetCount: 5,
            split: { kind: 'random' },
            opensAt: new Date().toISOString(),
            closesAt: new Date(Date.now() + HOUR_MS).toISOString(),
          },
        ),
    ),
  );

const lastId = async (): Promise<string> => {
  const [row] = await books.dataSource.query<{ id: string }[]>(
    `select last_value as id from activity_id_seq`,
  );
  return row!.id;
};

/** Makes Postgres refuse packets: packets that are written and rolled back leave no trace. */
async function withoutPackets<T>(work: () => Promise<T>): Promise<T> {
  await books.dataSource.query(`
    create function refuse_packets() returns trigger language plpgsql as $$ begin raise 'packets are written'; end $$;
    create trigger refuse_packets before insert on packet for each statement execute function refuse_packets()`);
  try {
    return await work();
  } finally {
    await books.dataSource.query('drop function refuse_packets cascade');
  }
}

describe('a refused request takes no id and writes no packet:', () => {
  it.each([
    ['from a frozen wallet', 'frozen', 'wallet.frozen'],
    ['from a wallet that holds too little', 'poor', 'wallet.insufficient_funds'],
    ['beyond what a user may send in a day', 'greedy', 'sender.day_full'],
  ])('a creation %s', async (_, userId, code) => {
    if (userId !== 'poor') await books.deposit(userId, 2_000n);
    if (userId === 'frozen') await books.setStatus(userId, 'frozen');
    const before = await lastId();
    expect(await withoutPackets(() => create(userId, userId === 'greedy' ? '10.01' : '5.00'))).toBe(code);
    expect(await lastId()).toBe(before);
  });

  it('a top-up from a frozen wallet', async () => {
    await books.deposit(BUSY.userId, 1_000n);
    const activityId = await books.activity({ packets: 5, sponsorId: BUSY.userId });
    await books.setStatus(BUSY.userId, 'frozen');
    const topUp = () =>
      books.dataSource.transaction((tx) =>
        books.topUps.add(tx, BUSY, activityId, { amount: '5.00', packetCount: 5 }),
      );
    expect(await withoutPackets(() => codeOf(topUp()))).toBe('wallet.frozen');
  });
});
