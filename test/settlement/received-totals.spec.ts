import { ReceivedTotals } from '../../src/extensions/sender/received-totals';
import { books, shareBooks } from '../harness/shared-books';

shareBooks({ PARTITION_ACTIVITIES: '100' });

const totals = () => books.serviceOf(ReceivedTotals);

let walletId: string;

beforeAll(async () => {
  await books.deposit('ann', 1n);
  const [wallet] = await books.dataSource.query<[{ id: string }]>(
    `select id from account where owner_id = 'ann' and kind = 'wallet'`,
  );
  walletId = wallet.id;
});

/** Credits a packet in each activity from `first` to `last`, of its id in minor units, as settlement would. */
async function credit(first: number, last: number): Promise<void> {
  await books.dataSource.query(
    `insert into claim (activity_id, packet_no, user_id, amount_minor)
     select id, 1, 'ann', id from generate_series($1::bigint, $2) as id`,
    [first, last],
  );
  await books.dataSource.query(
    `insert into transfer (kind, source_id, activity_id, debit_account_id, credit_account_id, amount_minor, previous_credit_in)
     select 'credit', id, activity_id, $1::bigint + 1, $1, amount_minor, nullif(activity_id - 1, 0)
       from claim where activity_id between $2 and $3`,
    [walletId, first, last],
  );
  await books.dataSource.query(`update account set last_credit_in = $2 where id = $1`, [walletId, last]);
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
    await books.dataSource.query(`insert into account (id, owner_id, kind, currency) overriding system value
      values (${walletId}::bigint + 2, 'bob', 'wallet', 'CNY')`);
    await books.dataSource.query(
      `insert into claim (activity_id, packet_no, user_id, amount_minor)
       select id * 100, 2, 'bob', 1 from generate_series(1, 60) as id`,
    );
    await books.dataSource.query(
      `insert into transfer (kind, source_id, activity_id, debit_account_id, credit_account_id, amount_minor, previous_credit_in)
       select 'credit', id, activity_id, $1::bigint + 1, $1::bigint + 2, 1, nullif(activity_id - 100, 0)
         from claim where user_id = 'bob'`,
      [walletId],
    );
    await books.dataSource.query(`update account set last_credit_in = 6000 where owner_id = 'bob'`);
    expect(await totals().of('bob')).toMatchObject([{ packets: 50, isComplete: false }]);
    expect(await totals().of('bob')).toMatchObject([{ packets: 60, isComplete: true }]);
  });

  it('end where the rows of older activities were archived', async () => {
    await books.dataSource.query(
      `insert into account (id, owner_id, kind, currency) overriding system value
       values ($1::bigint + 3, 'cid', 'wallet', 'CNY')`,
      [walletId],
    );
    await books.dataSource.query(
      `insert into claim (activity_id, packet_no, user_id, amount_minor)
       select id, 2, 'cid', 7 from generate_series(6101, 6103) as id`,
    );
    await books.dataSource.query(
      `insert into transfer (kind, source_id, activity_id, debit_account_id, credit_account_id, amount_minor, previous_credit_in)
       select 'credit', id, activity_id, $1::bigint + 1, $1::bigint + 3, 7, activity_id - 1
         from claim where user_id = 'cid'`,
      [walletId],
    );
    await books.dataSource.query(`update account set last_credit_in = 6103 where owner_id = 'cid'`);
    expect(await totals().of('cid')).toEqual([
      { currency: 'CNY', packets: 3, amount: '0.21', isComplete: true },
    ]);
  });

  it('are empty for a user who has received nothing', async () => {
    expect(await totals().of('nobody')).toEqual([]);
  });
});
