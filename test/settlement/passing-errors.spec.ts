import type { Job } from 'bullmq';
import { DataSource } from 'typeorm';
import { DirectSettlement } from '../../src/core/wallet/direct-settlement';
import { CLAIMS_PER_JOB_MAX, type CreditPayload } from '../../src/core/wallet/settlement-job';
import { SettlementNews } from '../../src/core/wallet/settlement-news';
import { SettlementProcessor } from '../../src/core/wallet/settlement.processor';
import { SettlementRepository } from '../../src/core/wallet/settlement.repository';
import { CreditOutlet } from '../../src/core/outlet';
import { SettlementService } from '../../src/core/wallet/settlement.service';
import { dataSourceOptions } from '../../src/platform/postgres';
import { Metrics } from '../../src/platform/telemetry';
import { waitFor } from '../harness/engines';
import { books, shareBooks } from '../harness/shared-books';
import { WholeRain } from '../harness/whole-rain';

let claimIds: string[];

shareBooks({ SETTLEMENT_ATTEMPTS_MAX: '1' });

beforeEach(async () => {
  claimIds = await books.claim(await books.activity({ packets: 4 }), ['ann', 'bob', 'cem', 'dan']);
});

/** Expects no counted attempt and no dead letter; the next attempt pays every claim in `left`. */
async function expectUntouched(left: readonly string[]): Promise<void> {
  expect(await books.letters.list('open', undefined, 10)).toEqual([]);
  const unsettled: unknown[] = await books.dataSource.query(
    `select claim_id, attempts, last_error from unsettled_claim order by claim_id`,
  );
  expect(unsettled).toEqual(left.map((claim_id) => ({ claim_id, attempts: 0, last_error: null })));
  expect(await books.settlement.settle(claimIds)).toMatchObject({ paid: left.length, buried: 0, retry: [] });
  expect(await books.broken()).toEqual([]);
}

const lockWallet = `insert into account (owner_id, kind, currency) values ('bob', 'wallet', 'CNY')
  on conflict on constraint account_owner_unique do update set status = account.status`;

/** A worker whose connections have their own settings. */
async function workerWith(
  options: string,
): Promise<{ settlement: SettlementService; end: () => Promise<void> }> {
  const plain = dataSourceOptions({ databaseUrl: books.config.DATABASE_URL, poolMax: 1 });
  const dataSource = await new DataSource({ ...plain, extra: { options } }).initialize();
  const settlement = new SettlementService(
    new SettlementRepository(dataSource, books.config, new CreditOutlet()),
    new Metrics(),
  );
  return { settlement, end: () => dataSource.destroy() };
}

async function blockedWorker(): Promise<number> {
  return (await waitFor(async () => (await books.blocked())[0], { what: 'the worker to wait' }))!;
}

const codeOf = (error: unknown): string => (error as { driverError: { code: string } }).driverError.code;

describe('a statement that takes too long never makes a dead letter, and its other claims are paid,', () => {
  const ALL_BUT_BOB = { paid: 3, buried: 0 };

  afterEach(() => expectUntouched([claimIds[1]!]));

  it('when it is cancelled', async () => {
    const release = await books.hold((tx) => tx.query(lockWallet));
    const settling = books.settlement.settle(claimIds);
    await books.dataSource.query(`select pg_cancel_backend($1)`, [await blockedWorker()]);
    expect(await settling).toMatchObject({ ...ALL_BUT_BOB, retry: [claimIds[1]] });
    await release();
  });

  it.each(['statement_timeout', 'lock_timeout'])('when its %s has expired', async (setting) => {
    const { settlement, end } = await workerWith(`-c ${setting}=100`);
    const release = await books.hold((tx) => tx.query(lockWallet));
    expect(await settlement.settle(claimIds)).toMatchObject({ ...ALL_BUT_BOB, retry: [claimIds[1]] });
    await release();
    await end();
  });
});

describe('a passing error never makes a dead letter', () => {
  afterEach(() => expectUntouched(claimIds));

  it('when the schema differs from the one that the worker was written for', async () => {
    await books.dataSource.query('alter table transfer rename column source_id to source');
    const failure = await books.settlement.settle(claimIds).catch(codeOf);
    await books.dataSource.query('alter table transfer rename column source to source_id');
    expect(failure).toBe('42703');
  });

  it('when its server process is terminated', async () => {
    const release = await books.hold((tx) => tx.query(lockWallet));
    const failure = books.settlement.settle(claimIds).catch(codeOf);
    await books.dataSource.query(`select pg_terminate_backend($1)`, [await blockedWorker()]);
    expect(await failure).toBe('57P01');
    await release();
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

describe('the failure of a batch', () => {
  let rain: WholeRain;
  const stopping = new AbortController().signal;

  beforeAll(async () => {
    rain = await WholeRain.over(books);
  });
  afterEach(async () => {
    expect(await books.broken()).toEqual([]);
  });
  afterAll(() => rain.stop());

  it('makes its job run again while it has unpaid claims, and not after that', async () => {
    const { settlement, config } = books;
    const processor = new SettlementProcessor(settlement, rain.worker.get(SettlementNews), config);
    const job = { data: { claimIds }, attemptsMade: 0 } as unknown as Job<CreditPayload>;
    const release = await books.hold((tx) => tx.query(lockWallet));
    const working = processor.process(job);
    await books.dataSource.query(`select pg_cancel_backend($1)`, [await blockedWorker()]);
    await expect(working).rejects.toThrow('1 of 4 claims failed');
    await release();
    expect(await processor.process(job)).toEqual({ paid: 1, buried: 0 });
  });

  it('does not delay other batches of a worker that pays without the queue, if its cause is the batch itself', async () => {
    await books.dataSource.query(`
      create function unknown_column() returns trigger language plpgsql as $$
      begin raise exception 'no such column' using errcode = 'undefined_column'; end $$;
      create trigger unknown_column before insert or update on account for each row
        when (new.owner_id = 'ann') execute function unknown_column();`);
    const crowd = Array.from({ length: CLAIMS_PER_JOB_MAX }, (_, i) => `crowd-${i}`);
    const last = await books.claim(await books.activity({ packets: crowd.length }), crowd);
    await rain.worker.get(DirectSettlement).settleUpTo(last.at(-1)!, stopping);
    await books.dataSource.query('drop function unknown_column cascade');

    const left = await books.settlements.unsettledUpTo(last.at(-1)!, CLAIMS_PER_JOB_MAX + 1);
    expect(left).toEqual([...claimIds, ...last].slice(0, CLAIMS_PER_JOB_MAX));
    expect(await books.settlement.settle(left)).toMatchObject({ paid: CLAIMS_PER_JOB_MAX });
  });

  it('does not keep such a worker from notifying the winners of a batch of which it paid nothing', async () => {
    await Promise.all(['ann', 'bob', 'cem', 'dan'].map((user) => books.setStatus(user, 'frozen')));
    const tell = jest.spyOn(rain.worker.get(SettlementNews), 'tellOrKeep');
    await rain.worker.get(DirectSettlement).settleUpTo(claimIds.at(-1)!, stopping);
    expect(tell).toHaveBeenCalledWith(claimIds, expect.objectContaining({ paid: 0, buried: 4 }));
    tell.mockRestore();
    await Promise.all(['ann', 'bob', 'cem', 'dan'].map((user) => books.setStatus(user, 'active')));
  });

  it('ends the run of such a worker if it is an outage', async () => {
    const release = await books.hold((tx) => tx.query(lockWallet));
    const failure = rain.worker.get(DirectSettlement).settleUpTo(claimIds.at(-1)!, stopping).catch(codeOf);
    await books.dataSource.query(`select pg_terminate_backend($1)`, [await blockedWorker()]);
    expect(await failure).toBe('57P01');
    await release();
    expect(await books.settlement.settle(claimIds)).toMatchObject({ paid: claimIds.length });
  });
});
