import { DataSource } from 'typeorm';
import { SettlementRepository } from '../../src/modules/wallet/settlement.repository';
import { SettlementService } from '../../src/modules/wallet/settlement.service';
import { dataSourceOptions } from '../../src/platform/postgres';
import { type Books, openBooks } from '../support/books';
import { waitFor } from '../support/engines';

let books: Books;
let close: () => Promise<void>;
let claimIds: string[];

beforeAll(async () => {
  ({ books, close } = await openBooks({ SETTLEMENT_ATTEMPTS_MAX: '1' }));
});

beforeEach(async () => {
  claimIds = await books.claim(await books.activity({ packets: 4 }), ['ann', 'bob', 'cem', 'dan']);
});

/** Whatever happened, nothing was counted or buried, and the next attempt pays every claim. */
afterEach(async () => {
  expect(await books.letters.list('open', undefined, 10)).toEqual([]);
  const unsettled: unknown[] = await books.dataSource.query(
    `select claim_id, attempts, last_error from unsettled_claim order by claim_id`,
  );
  expect(unsettled).toEqual(claimIds.map((claim_id) => ({ claim_id, attempts: 0, last_error: null })));
  expect(await books.settlement.settle(claimIds)).toEqual({ paid: 4, buried: 0, retry: [] });
  expect(await books.broken()).toEqual([]);
});

afterAll(() => close());

const lockWallet = `insert into account (owner_id, kind, currency) values ('bob', 'wallet', 'CNY')
  on conflict on constraint account_owner_unique do update set status = account.status`;

/** A worker whose connections have settings of their own. */
async function workerWith(
  options: string,
): Promise<{ settlement: SettlementService; end: () => Promise<void> }> {
  const plain = dataSourceOptions({ databaseUrl: books.config.DATABASE_URL, poolMax: 1 });
  const dataSource = await new DataSource({ ...plain, extra: { options } }).initialize();
  const settlement = new SettlementService(new SettlementRepository(dataSource, books.config));
  return { settlement, end: () => dataSource.destroy() };
}

async function blockedWorker(): Promise<number> {
  return (await waitFor(async () => (await books.blocked())[0], { what: 'the worker to wait' }))!;
}

const codeOf = (error: unknown): string => (error as { driverError: { code: string } }).driverError.code;

describe('an error that speaks of the moment never makes a dead letter', () => {
  it('when the schema is not the one that the worker was written for', async () => {
    await books.dataSource.query('alter table transfer rename column source_id to source');
    const failure = await books.settlement.settle(claimIds).catch(codeOf);
    await books.dataSource.query('alter table transfer rename column source to source_id');
    expect(failure).toBe('42703');
  });

  it.each([
    ['its server process is terminated', 'pg_terminate_backend', '57P01'],
    ['its statement is cancelled', 'pg_cancel_backend', '57014'],
  ])('when %s', async (_, end, code) => {
    const release = await books.hold((tx) => tx.query(lockWallet));
    const failure = books.settlement.settle(claimIds).catch(codeOf);
    await books.dataSource.query(`select ${end}($1)`, [await blockedWorker()]);
    expect(await failure).toBe(code);
    await release();
  });

  it('when its statement takes too long', async () => {
    const { settlement, end } = await workerWith('-c statement_timeout=100');
    const release = await books.hold((tx) => tx.query(lockWallet));
    expect(await settlement.settle(claimIds).catch(codeOf)).toBe('57014');
    await release();
    await end();
  });

  it('when it cannot get a lock in time', async () => {
    const { settlement, end } = await workerWith('-c lock_timeout=100');
    const release = await books.hold((tx) => tx.query(lockWallet));
    expect(await settlement.settle(claimIds).catch(codeOf)).toBe('55P03');
    await release();
    await end();
  });

  it('when it is the victim of a deadlock', async () => {
    const { settlement, end } = await workerWith('-c deadlock_timeout=300');
    let locked: Promise<unknown> = Promise.resolve();
    const release = await books.hold(async (tx) => {
      await tx.query(`set local deadlock_timeout = '20s'`);
      await tx.query(lockWallet);
      const failure = settlement.settle(claimIds).catch(codeOf);
      await blockedWorker();
      locked = tx.query(`select 1 from unsettled_claim where claim_id = $1 for update`, [claimIds[0]]);
      expect(await failure).toBe('40P01');
    });
    await locked;
    await release();
    await end();
  });

  it('when the database cannot be reached', async () => {
    const { settlement, end } = await workerWith('');
    await end();
    await expect(settlement.settle(claimIds)).rejects.toThrow();
  });
});
