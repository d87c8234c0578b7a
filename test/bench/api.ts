import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import { freePort, type Engine } from '../../libs/local-engines';
import { ApiClient } from '../../src/commands/local/api-client';
import { openDemoActivity } from '../../src/commands/local/demo-activity';
import { startNodeProgram, whenReady } from '../../src/commands/local/node-program';
import { signToken } from '../../src/commands/local/sign-token';
import { INVARIANTS } from '../../src/modules/reconciliation/invariants';
import type { Stage } from './stage';

/** Of the bench's own processes; nobody else listens to them. */
const JWT_SECRET = 'a-secret-for-the-benches-only-0123456789';
const POLL_MS = 10;
const SPONSOR = 'sponsor';
const MINOR_PER_UNIT = 100;

export const NO_RATE_LIMITS = {
  RATE_LIMIT_USER_PER_SECOND: '1000000000',
  RATE_LIMIT_ADDRESS_PER_SECOND: '1000000000',
};

/** One process of ours that listens. */
export interface Server {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  stop(): Promise<void>;
}

/** Engines of their own, and the product's processes on them as an operator runs them. */
export interface Installation {
  readonly postgres: Engine;
  readonly redis: Engine;
  readonly dataSource: DataSource;
  api(env?: NodeJS.ProcessEnv): Promise<Server>;
  worker(env?: NodeJS.ProcessEnv): Promise<Server>;
  /** A server of test/bench/noop-server.ts. */
  noop(kind: string): Promise<Server>;
}

export async function install(stage: Stage): Promise<Installation> {
  const [postgres, redis] = [await stage.postgres(), await stage.redis()];
  const dataSource = await stage.dataSource(postgres);
  const logDir = stage.newDir('logs');
  let started = 0;
  const start = async (name: string, script: string, env: NodeJS.ProcessEnv): Promise<Server> => {
    const port = await freePort();
    const common = { NODE_ENV: 'production', LOG_LEVEL: 'warn', JWT_SECRET };
    const addresses = { DATABASE_URL: postgres.url, REDIS_URL: redis.url };
    const ports = { PORT: String(port), WORKER_PORT: String(port) };
    const variables = { ...process.env, ...common, ...addresses, ...ports, ...env };
    const program = await startNodeProgram(`${name}-${++started}`, script, variables, logDir);
    stage.atEnd(() => program.stop());
    const url = `http://127.0.0.1:${port}`;
    await whenReady(program, url);
    return { url, port, pid: program.pid, stop: () => program.stop() };
  };
  return {
    postgres,
    redis,
    dataSource,
    api: (env = {}) => start('api', 'main.js', env),
    worker: (env = {}) => start('worker', 'worker.js', env),
    noop: (kind) =>
      start('noop', join('..', 'test', 'bench', 'noop-server.js'), { ...NO_RATE_LIMITS, NOOP_SERVER: kind }),
  };
}

export const tokenOf = (userId: string, role: 'user' | 'operator' = 'user'): string =>
  signToken({ secret: JWT_SECRET }, { sub: userId, role });

/** Tokens of `<prefix>0`, `<prefix>1`, … */
export const tokensOf = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, i) => tokenOf(`${prefix}${i}`));

export const operatorOf = (server: Server): ApiClient =>
  new ApiClient(server.url, tokenOf('operator', 'operator'));

/** A funded activity that is open; a packet holds one unit of money on average. Returns its id. */
export async function openActivity(operator: ApiClient, packetCount: number): Promise<string> {
  const totalAmount = packetCount.toFixed(2);
  const { id } = await openDemoActivity(operator, { sponsorId: SPONSOR, totalAmount, packetCount });
  return id;
}

/** @throws Error when the condition does not hold within the time */
export async function until(
  what: string,
  withinMs: number,
  condition: () => Promise<boolean>,
): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`Not within ${withinMs} ms: ${what}.`);
    await pause(POLL_MS);
  }
}

/**
 * From now on a refusal is told as Redis says it, without a look at Postgres: some worker has told Redis all claims, and
 * this API knows.
 */
export function redisIsTrusted(api: Server): Promise<void> {
  return until('Redis is trusted', 30_000, async () => {
    const metrics = await (await fetch(`${api.url}/metrics`)).text();
    return /^redis_trusted 1$/m.test(metrics);
  });
}

/** Waits until an activity has as many claims, and throws when it has more or somebody else's. */
export async function claimsConfirmed(
  { dataSource }: Installation,
  activityId: string,
  count: number,
): Promise<void> {
  const claims = async () => {
    const [row]: { count: number }[] = await dataSource.query(
      'select count(*)::integer as count from claim where activity_id = $1',
      [activityId],
    );
    return row!.count;
  };
  await until(`${count} claims are confirmed`, 30_000, async () => (await claims()) >= count);
  if ((await claims()) !== count) throw new Error(`Activity ${activityId} has more than ${count} claims.`);
}

export function everythingSettled({ dataSource }: Installation, withinMs: number): Promise<void> {
  return until('every claim is credited', withinMs, async () => {
    const [row]: { unsettled: boolean }[] = await dataSource.query(
      'select exists (select from unsettled_claim) as unsettled',
    );
    return !row!.unsettled;
  });
}

/** @throws Error that names every invariant of the money that does not hold */
export async function checkBooks({ dataSource }: Installation): Promise<void> {
  const broken: string[] = [];
  for (const { id, sql } of INVARIANTS) {
    const values = sql.includes('$1') ? [MINOR_PER_UNIT] : [];
    const [row]: { breaches: string }[] = await dataSource.query(sql, values);
    if (row!.breaches !== '0') broken.push(id);
  }
  if (broken.length > 0) throw new Error(`The books do not hold: ${broken.join(', ')}.`);
}

/** Sockets, files and pipes of a process. */
export const openFiles = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length;
