import { Redis } from 'ioredis';
import { Pool } from 'pg';
import { type Design, type Engines, POOL_MAX } from './design';
import { lockPerActivity } from './lock';
import { optimisticOnActivity } from './optimistic';
import { optimisticOnPacket, skipLocked } from './packet-rows';
import { pessimisticOnActivity } from './pessimistic';
import { queueWithAsynchronousStorage } from './queue-asynchronous';
import { queueWithSynchronousWrite } from './queue-synchronous';
import { queueWithTransaction } from './queue-transaction';

export const OURS = 'ours: answer after commit';
export const SKIP_LOCKED = 'packet rows, FOR UPDATE SKIP LOCKED';
export const LOCK = 'distributed lock per activity';

const OTHERS: Readonly<Record<string, (engines: Engines) => Design>> = {
  [LOCK]: lockPerActivity,
  'optimistic lock on the activity row': optimisticOnActivity,
  'SELECT … FOR UPDATE on the activity row': pessimisticOnActivity,
  'packet rows, optimistic lock': optimisticOnPacket,
  [SKIP_LOCKED]: skipLocked,
  'Redis queue, synchronous write': queueWithSynchronousWrite,
  'Redis queue, WATCH, MULTI and EXEC': queueWithTransaction,
  'Redis queue, asynchronous storage': queueWithAsynchronousStorage,
};

export const DESIGN_NAMES: readonly string[] = [...Object.keys(OTHERS), OURS];

/** Starts one design with its own connections. The product is loaded only where it is needed. */
export async function startDesign(name: string, databaseUrl: string, redisUrl: string): Promise<Design> {
  const create = OTHERS[name];
  if (!create) return (await import('./ours.js')).answerAfterCommit(databaseUrl, redisUrl);
  const pg = connect(databaseUrl, POOL_MAX);
  const redis = new Redis(redisUrl);
  const design = create({ pg, redis });
  return {
    ...design,
    async end() {
      await design.end();
      redis.disconnect();
      await pg.end();
    },
  };
}

/** Opens connections that stay. An idle connection may break when its server stops. */
export function connect(databaseUrl: string, max: number): Pool {
  const pg = new Pool({ connectionString: databaseUrl, max, idleTimeoutMillis: 0 });
  pg.on('error', () => undefined);
  return pg;
}
