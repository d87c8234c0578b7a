import { readdirSync } from 'node:fs';
import type { DataSource } from 'typeorm';
import { ApiClient } from '../../libs/client';
import type { Engine } from '../../src/dev/engines';
import { type DemoPlan, openDemoActivity } from '../../src/dev/local/demo-activity';
import { signToken } from '../../src/platform/http/auth/sign-token';
import { brokenInvariants } from '../harness/invariants';
import { JWT_SECRET, type Server, startProduct } from './product';
import type { Stage } from './stage';
import { until } from './until';

const TRUSTED_WITHIN_MS = 120_000;
const CONFIRMED_WITHIN_MS = 120_000;
const SETTLED_WITHIN_MS = 300_000;
export const SPONSOR = 'sponsor';

export const NO_RATE_LIMITS = {
  RATE_LIMIT_USER_PER_SECOND: '1000000000',
  RATE_LIMIT_ADDRESS_PER_SECOND: '1000000000',
};

/** Engines of the bench's own, and the product's processes on them, as an operator runs them. */
export interface Installation {
  readonly postgres: Engine;
  readonly redis: Engine;
  readonly dataSource: DataSource;
  api(env?: NodeJS.ProcessEnv): Promise<Server>;
  worker(env?: NodeJS.ProcessEnv): Promise<Server>;
  noop(kind: string): Promise<Server>;
}

export async function install(stage: Stage): Promise<Installation> {
  const [postgres, redis] = [await stage.postgres(), await stage.redis()];
  const dataSource = await stage.dataSource(postgres);
  const engines = { databaseUrl: postgres.url, redisUrl: redis.url };
  return {
    postgres,
    redis,
    dataSource,
    api: (env) => startProduct(stage, 'api', engines, env),
    worker: (env) => startProduct(stage, 'worker', engines, env),
    noop: (kind) => startProduct(stage, 'no-op', engines, { ...NO_RATE_LIMITS, NOOP_SERVER: kind }),
  };
}

export const tokenOf = (userId: string, role: 'user' | 'operator' = 'user', hours?: number): string =>
  signToken({ secret: JWT_SECRET }, { sub: userId, role }, hours);

/** Tokens of the users `<prefix>0`, `<prefix>1`, …; other hours make other tokens. */
export const tokensOf = (prefix: string, count: number, hours?: number): string[] =>
  Array.from({ length: count }, (_, i) => tokenOf(`${prefix}${i}`, 'user', hours));

export const operatorOf = (server: Server): ApiClient =>
  new ApiClient(server.url, tokenOf('operator', 'operator'));

/** Opens a funded activity with one unit of money per packet on average. Returns its id. */
export async function openActivity(
  operator: ApiClient,
  packetCount: number,
  terms: Partial<DemoPlan> = {},
): Promise<string> {
  const totalAmount = packetCount.toFixed(2);
  const { id } = await openDemoActivity(operator, { sponsorId: SPONSOR, totalAmount, packetCount, ...terms });
  return id;
}

/** Waits until the API trusts Redis: it answers a refusal from Redis alone, without Postgres. */
export function redisIsTrusted(api: Server, processes = 1): Promise<void> {
  const isTrusted = async () => {
    const metrics = await (await fetch(`${api.adminUrl}/metrics`)).text();
    return metrics.match(/^hongbao_redis_trusted(\{.*\})? 1$/gm)?.length === processes;
  };
  return until(isTrusted, 'Redis to be trusted', TRUSTED_WITHIN_MS);
}

/** Waits until an activity has `count` claims; throws if it has more, or claims of other users. */
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
  await until(async () => (await claims()) >= count, `${count} confirmed claims`, CONFIRMED_WITHIN_MS);
  if ((await claims()) !== count) throw new Error(`Activity ${activityId} has more than ${count} claims.`);
}

export function everythingSettled({ dataSource }: Installation): Promise<void> {
  const isSettled = async () => {
    const [row]: { unsettled: boolean }[] = await dataSource.query(
      'select exists (select from unsettled_claim) as unsettled',
    );
    return !row!.unsettled;
  };
  return until(isSettled, 'every claim to be credited', SETTLED_WITHIN_MS);
}

/** @throws Error that names every money invariant that does not hold */
export async function checkBooks({ dataSource }: Pick<Installation, 'dataSource'>): Promise<void> {
  const broken = await brokenInvariants(dataSource);
  if (broken.length > 0) throw new Error(`The books do not hold: ${broken.join(', ')}.`);
}

export const openFiles = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length;
