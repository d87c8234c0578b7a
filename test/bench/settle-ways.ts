import { type Job, Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { Pool, type PoolClient } from 'pg';
import type { DataSource } from 'typeorm';
import type { Engine } from '../../src/dev/engines';
import { OwnRedis, ShardTrust } from '../../libs/redis-scripts';
import { SettlementQueue } from '../../src/core/wallet';
import { type Engines, type Server, startProduct } from './product';
import { createAccounts, CURRENCY } from './settle-books';
import type { Stage } from './stage';
import { until } from './until';

const SETTLED_WITHIN_MS = 240_000;
const TRUSTED_WITHIN_MS = 120_000;
const SWEEP_AGE_MS = 3_600_000;
const PREFIX = '{bull}';
const RIVAL_QUEUE = 'credit-one';
const RIVAL_CONCURRENCY = 10;
const RIVAL_JOBS_PER_ADD = 1_000;

/** A database with its accounts, and the product's own worker and queue on it. */
export interface MeasuredBooks extends Engines {
  readonly db: DataSource;
  readonly queue: Queue;
  readonly offers: SettlementQueue;
  readonly worker: Server;
  readonly dataDir: string;
}

/** Creates a database on given engines. Every books on the same Redis needs another number. */
/** @param fill writes to the books while no worker reads them */
export async function prepareBooks(
  stage: Stage,
  engines: { readonly postgres: Engine; readonly redis: Engine },
  number: number,
  fill: (db: DataSource) => Promise<void> = async () => {},
): Promise<MeasuredBooks> {
  const { postgres, redis } = engines;
  const databaseUrl = await createDatabase(postgres, `ground_${number}`);
  const redisUrl = `${redis.url}/${number}`;
  const db = await stage.dataSource({ ...postgres, url: databaseUrl });
  await createAccounts(db);
  await fill(db);
  const worker = await startWorker(stage, { databaseUrl, redisUrl });
  const queue = openQueue(stage, redisUrl, 'settlement');
  return {
    db,
    databaseUrl,
    redisUrl,
    queue,
    dataDir: postgres.dataDir,
    offers: new SettlementQueue(queue),
    worker,
  };
}

async function createDatabase(postgres: Engine, name: string): Promise<string> {
  const pool = new Pool({ connectionString: postgres.url, max: 1 });
  await pool.query(`create database ${name}`);
  await pool.end();
  const url = new URL(postgres.url);
  url.pathname = name;
  return url.href;
}

function openQueue(stage: Stage, redisUrl: string, name: string): Queue {
  const queue = new Queue(name, { prefix: PREFIX, connection: { url: redisUrl } });
  stage.atEnd(() => queue.close());
  return queue;
}

/**
 * Starts the worker on books without claims, which it would tell Redis first.
 * A claim here waits for its preparation, not for a crash, so the sweep is kept out.
 */
async function startWorker(stage: Stage, engines: Engines): Promise<Server> {
  const worker = await startProduct(stage, 'worker', engines, { SWEEP_AGE_MS: String(SWEEP_AGE_MS) });
  const client = new Redis(engines.redisUrl);
  const trust = new ShardTrust(new OwnRedis(client, 1));
  await until(() => trust.isTrusted(), 'the first sweep of the worker', TRUSTED_WITHIN_MS);
  client.disconnect();
  return worker;
}

/** Settles the product's way: its queue makes the jobs, its worker process runs them. */
export async function settleByProduct(
  { queue, offers }: MeasuredBooks,
  claimIds: readonly string[],
): Promise<void> {
  offers.offer(claimIds);
  await offers.beforeApplicationShutdown();
  await allJobsDone(queue);
}

async function allJobsDone(queue: Queue): Promise<void> {
  const isDone = async () => (await queue.getJobCountByTypes('wait', 'active', 'delayed')) === 0;
  await until(isDone, `the jobs of ${queue.name}`, SETTLED_WITHIN_MS);
}

/** All facts of one claim that a job needs, so that it has to read nothing. */
export interface OneClaim {
  readonly id: string;
  readonly activityId: string;
  readonly escrowId: string;
  readonly userId: string;
  readonly amountMinor: string;
}

export interface Rival {
  read(claimIds: readonly string[]): Promise<OneClaim[]>;
  settle(claims: readonly OneClaim[]): Promise<void>;
}

/** Settles the usual way: a job for each claim, with a transaction of four statements. */
export function startRival(stage: Stage, { db, databaseUrl, redisUrl }: MeasuredBooks): Rival {
  const pool = new Pool({ connectionString: databaseUrl, max: RIVAL_CONCURRENCY });
  const queue = openQueue(stage, redisUrl, RIVAL_QUEUE);
  const worker = new Worker<OneClaim>(RIVAL_QUEUE, ({ data }: Job<OneClaim>) => creditOne(pool, data), {
    prefix: PREFIX,
    concurrency: RIVAL_CONCURRENCY,
    connection: { url: redisUrl },
    removeOnComplete: { count: 100 },
  });
  stage.atEnd(() => pool.end());
  stage.atEnd(() => worker.close());
  return {
    read: (claimIds) => readClaims(db, claimIds),
    settle: async (claims) => {
      for (let start = 0; start < claims.length; start += RIVAL_JOBS_PER_ADD) {
        const some = claims.slice(start, start + RIVAL_JOBS_PER_ADD);
        await queue.addBulk(some.map((data) => ({ name: 'credit', data })));
      }
      await allJobsDone(queue);
    },
  };
}

function readClaims(db: DataSource, claimIds: readonly string[]): Promise<OneClaim[]> {
  return db.query(
    `select claim.id, activity_id as "activityId", escrow_account_id as "escrowId", user_id as "userId",
            amount_minor as "amountMinor"
       from claim join activity on activity.id = activity_id
      where claim.id = any($1::bigint[])`,
    [claimIds],
  );
}

async function creditOne(pool: Pool, claim: OneClaim): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    await moveMoney(client, claim);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw error;
  } finally {
    client.release();
  }
}

async function moveMoney(client: PoolClient, claim: OneClaim): Promise<void> {
  const { id, activityId, escrowId, userId, amountMinor } = claim;
  await client.query(`delete from unsettled_claim where claim_id = $1`, [id]);
  const { rows } = await client.query<{ id: string; former_credit_in: string | null }>(
    `update account set balance_minor = balance_minor + $2, former_credit_in = last_credit_in, last_credit_in = $3
      where owner_id = $1 and kind = 'wallet' and currency = '${CURRENCY}' returning id, former_credit_in`,
    [userId, amountMinor, activityId],
  );
  await client.query(
    `insert into transfer (kind, source_id, activity_id, debit_account_id, credit_account_id, amount_minor,
                           previous_credit_in)
     values ('credit', $1, $2, $3, $4, $5, $6)`,
    [id, activityId, escrowId, rows[0]!.id, amountMinor, rows[0]!.former_credit_in],
  );
  await client.query(`update account set balance_minor = balance_minor - $2 where id = $1`, [
    escrowId,
    amountMinor,
  ]);
}

/** A part of the rows, in a file that the server can read by itself: no client, no network. */
export interface CopyPart {
  readonly file: string;
  readonly fromId: string;
  readonly toId: string;
}

const COLUMNS =
  'kind, source_id, activity_id, debit_account_id, credit_account_id, amount_minor, previous_credit_in';

export async function writeCopyFiles(
  { db, dataDir }: MeasuredBooks,
  claimIds: readonly string[],
  rowsMax: number,
): Promise<CopyPart[]> {
  const parts: CopyPart[] = [];
  for (let start = 0; start < claimIds.length; start += rowsMax) {
    const [fromId, toId] = [claimIds[start]!, claimIds[Math.min(start + rowsMax, claimIds.length) - 1]!];
    const file = `${dataDir}/credits-${parts.length}.copy`;
    await db.query(
      `copy (select 'credit', claim.id, activity_id, escrow_account_id, wallet.id, amount_minor, wallet.last_credit_in
               from claim
               join activity on activity.id = activity_id
               join account wallet on wallet.owner_id = user_id and wallet.kind = 'wallet'
              where claim.id between ${fromId} and ${toId}
              order by claim.id) to '${file}'`,
    );
    parts.push({ file, fromId, toId });
  }
  return parts;
}

/** The upper limit: the same ledger rows by COPY, and one update for all their wallets. */
export async function copyCredits({ db }: MeasuredBooks, parts: readonly CopyPart[]): Promise<void> {
  for (const { file, fromId, toId } of parts) {
    await db.transaction(async (tx) => {
      await tx.query(`copy transfer (${COLUMNS}) from '${file}'`);
      await tx.query(
        `update account set balance_minor = balance_minor + won.sum, last_credit_in = won.last
           from (select user_id, sum(amount_minor)::bigint as sum, max(activity_id) as last from claim
                  where id between $1 and $2 group by 1) as won
          where owner_id = won.user_id and kind = 'wallet' and currency = '${CURRENCY}'`,
        [fromId, toId],
      );
    });
  }
}

/** Does the work that the limit leaves out, so that the books are whole again. */
export async function finishCopied({ db }: MeasuredBooks): Promise<void> {
  await db.query(
    `update account set balance_minor = balance_minor - owed.sum
       from (select escrow_account_id as id, sum(claim.amount_minor)::bigint as sum
               from unsettled_claim
               join claim on claim.id = claim_id
               join activity on activity.id = claim.activity_id group by 1) as owed
      where account.id = owed.id`,
  );
  await db.query(`delete from unsettled_claim`);
}
