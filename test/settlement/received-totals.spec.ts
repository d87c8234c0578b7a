import { ReceivedTotals } from '../../src/extensions/sender/received-totals';
import { books, shareBooks } from '../harness/shared-books';

shareBooks({ PARTITION_ACTIVITIES: '100' });

const totals = () => books.serviceOf(ReceivedTotals);

const WALLET = `(select id from account where owner_id = $1 and kind = 'wallet')`;

beforeAll(() => books.deposit('ann', 1n));

const openWallet = (userId: string) =>
  books.dataSource.query(`insert into account (owner_id, kind, currency) values ($1, 'wallet', 'CNY')`, [
    userId,
  ]);

interface Chain {
  readonly userId?: string;
  /** From one activity to the next. */
  readonly step?: number;
  /** As many minor units as the id of its activity, unless given. */
  readonly amountMinor?: number;
}

/** Credits a packet in each activity from `first` to `last`, as settlement would. */
async function credit(
  first: number,
  last: number,
  { userId = 'ann', step = 1, amountMinor }: Chain = {},
): Promise<void> {
  const packetNo = userId === 'ann' ? 1 : 2;
  await books.dataSource.query(
    `insert into claim (activity_id, packet_no, user_id, amount_minor)
     select id, $5, $1, coalesce($6, id) from generate_series($2::bigint, $3, $4) as id`,
    [userId, first, last, step, packetNo, amountMinor],
  );
  await books.dataSource.query(
    `insert into transfer (kind, source_id, activity_id, debit_account_id, credit_account_id, amount_minor, previous_credit_in)
     select 'credit', id, activity_id, ${WALLET} + 1, ${WALLET}, amount_minor, nullif(activity_id - $4, 0)
       from claim where user_id = $1 and activity_id between $2 and $3`,
    [userId, first, last, step],
  );
  await books.dataSource.query(`update account set last_credit_in = $2 where id = ${WALLET}`, [userId, last]);
}

const sumOf = (first: number, last: number): string =>
  (((first + last) * (last - first + 1)) / 200).toFixed(2);

const count = async () => (await totals().of('ann'))[0];

describe('the sums of what a user has received', () => {
  it('grow by 1,000 packets a request until all are counted, and then at once by new packets', async () => {
    await credit(1, 2_500);
    expect(await count()).toEqual({
      ...{ currency: 'CNY', packets: 1_000, amount: sumOf(1_501, 2_500), isComplete: false },
    });
    expect(await count()).toMatchObject({ packets: 2_000, amount: sumOf(501, 2_500), isComplete: false });
    const all = { packets: 2_500, amount: sumOf(1, 2_500), isComplete: true };
    expect(await count()).toMatchObject(all);
    await books.dataSource.query(`alter table claim rename to claim_away`);
    expect(await count()).toMatchObject(all);
    await books.dataSource.query(`alter table claim_away rename to claim`);
    await credit(2_501, 2_520);
    expect(await count()).toMatchObject({ packets: 2_520, amount: sumOf(1, 2_520), isComplete: true });
  });

  it('continue with older packets if new ones arrive in the meantime', async () => {
    await books.dataSource.query('truncate received_total');
    expect(await count()).toMatchObject({ packets: 1_000, amount: sumOf(1_521, 2_520), isComplete: false });
    await credit(2_521, 2_530);
    expect(await count()).toMatchObject({ packets: 2_000, amount: sumOf(531, 2_530), isComplete: false });
    await credit(2_531, 2_532);
    expect(await count()).toMatchObject({ packets: 2_532, amount: sumOf(1, 2_532), isComplete: true });
  });

  it('are counted from the start if more packets have arrived since than one request counts', async () => {
    await credit(2_533, 4_000);
    expect(await count()).toMatchObject({ packets: 1_000, amount: sumOf(3_001, 4_000), isComplete: false });
    for (let i = 0; i < 3; i++) await Promise.all([count(), count()]);
    expect(await count()).toMatchObject({ packets: 4_000, amount: sumOf(1, 4_000), isComplete: true });
  });

  it('read few partitions a request, however few packets lie in each', async () => {
    await openWallet('bob');
    await credit(100, 6_000, { userId: 'bob', step: 100, amountMinor: 1 });
    expect(await totals().of('bob')).toMatchObject([{ packets: 50, isComplete: false }]);
    expect(await totals().of('bob')).toMatchObject([{ packets: 60, isComplete: true }]);
  });

  it('end where the rows of older activities were archived', async () => {
    await openWallet('cid');
    await credit(6_101, 6_103, { userId: 'cid', amountMinor: 7 });
    expect(await totals().of('cid')).toEqual([
      { currency: 'CNY', packets: 3, amount: '0.21', isComplete: true },
    ]);
  });

  it('are empty for a user who has received nothing', async () => {
    expect(await totals().of('nobody')).toEqual([]);
  });
});
