import { randomUUID } from 'node:crypto';
import { PartitionBooks1795417200000 } from '../../migrations/1795417200000-partition-books';
import { runMigrations } from '../../src/platform/postgres';
import { schema } from '../../src/schema';
import { Books } from '../harness/books';
import { databaseUrl, onServer } from '../harness/engines';

/** Two rains, far apart: ann and bob are paid in both, cem was buried, dan is not paid yet. */
const FORMER = `
  insert into idempotency_key (id, principal, key, fingerprint, status, response)
  values (1, 'operator', 'deposit', sha256(''), 201, '{}');
  insert into account (owner_id, kind, currency, balance_minor)
  values ('outside', 'funding', 'CNY', -1000), ('sponsor', 'wallet', 'CNY', 500), ('7', 'escrow', 'CNY', 200),
         ('25000', 'escrow', 'CNY', 0), ('ann', 'wallet', 'CNY', 150), ('bob', 'wallet', 'CNY', 150);
  insert into activity (id, name, sponsor_id, sponsor_account_id, escrow_account_id, currency, total_minor, packet_count,
                        split, seed, opens_at, closes_at, status, closed_at)
  overriding system value
  values (7, 'Rain', 'sponsor', 2, 3, 'CNY', 400, 4, '{"kind":"equal"}', 'seed', now(), now() + interval '1 hour', 'active', null),
         (25000, 'Rain', 'sponsor', 2, 4, 'CNY', 100, 2, '{"kind":"equal"}', 'seed', now(), now() + interval '1 hour', 'closed', now());
  select setval('activity_id_seq', 25000), setval('idempotency_key_id_seq', 1);
  insert into packet values (7, 1, 100), (7, 2, 100), (7, 3, 100), (7, 4, 100), (25000, 1, 50), (25000, 2, 50);
  insert into claim (activity_id, packet_no, user_id, amount_minor)
  values (7, 1, 'ann', 100), (7, 2, 'bob', 100), (25000, 1, 'bob', 50), (25000, 2, 'ann', 50), (7, 3, 'cem', 100), (7, 4, 'dan', 100);
  insert into transfer (kind, source_id, activity_id, debit_account_id, credit_account_id, amount_minor)
  values ('deposit', 1, null, 1, 2, 1000), ('fund', 7, 7, 2, 3, 400), ('fund', 25000, 25000, 2, 4, 100),
         ('credit', 4, 25000, 4, 5, 50), ('credit', 1, 7, 3, 5, 100), ('credit', 2, 7, 3, 6, 100),
         ('credit', 3, 25000, 4, 6, 50);
  insert into dead_letter (claim_id, activity_id, user_id, amount_minor, reason) values (5, 7, 'cem', 100, 'wallet_frozen');
  insert into unsettled_claim (claim_id, attempts) values (6, 2)`;

describe('books of a release without partitions', () => {
  const name = `former_${randomUUID().replaceAll('-', '')}`;
  let books: Books;

  beforeAll(async () => {
    await onServer(`create database ${name}`);
    const url = databaseUrl(name);
    const migrations = schema.migrations.slice(0, schema.migrations.indexOf(PartitionBooks1795417200000));
    await runMigrations(url, { migrations, grants: {}, functions: [] });
    books = await Books.of(url);
    await books.dataSource.query(FORMER);
    await runMigrations(url, schema);
  });

  afterAll(async () => {
    await books.close();
    await onServer(`drop database ${name} with (force)`);
  });

  it('are complete and right after the migration has rewritten them', async () => {
    expect(await books.broken()).toEqual([]);
    const rows = await books.dataSource.query<{ name: string; count: number }[]>(
      `select tableoid::regclass::text as name, count(*)::integer as count
         from (select tableoid from packet union all select tableoid from claim union all select tableoid from transfer) as row
        group by 1 order by 1`,
    );
    expect(Object.fromEntries(rows.map((row) => [row.name, row.count]))).toEqual({
      ...{ packet_0: 4, packet_20000: 2, claim_0: 4, claim_20000: 2 },
      ...{ transfer_other: 3, transfer_credit_0: 2, transfer_credit_20000: 2 },
    });
  });

  it('list payments in the order in which they were made', async () => {
    const activities = async (owner: string) =>
      (await books.wallets.entries(owner, { limit: 10 })).items.map(({ activityId }) => activityId);
    expect(await activities('ann')).toEqual(['7', '25000']);
    expect(await activities('bob')).toEqual(['25000', '7']);
  });

  it('go on: unpaid claims are paid, and ids continue', async () => {
    expect(await books.wallets.read('dan')).toMatchObject({ balance: '0.00', pending: '1.00' });
    expect(await books.settlement.settle(['6'])).toMatchObject({ paid: 1 });
    expect(await books.wallets.read('dan')).toMatchObject({ balance: '1.00', pending: '0.00' });
    const activityId = await books.activity({ packets: 1 });
    expect(Number(activityId)).toBe(25_001);
    expect(Number((await books.claim(activityId, ['ann']))[0])).toBe(7);
    expect(await books.broken()).toEqual([]);
  });
});
