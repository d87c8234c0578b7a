import { Redis, type RedisOptions } from 'ioredis';

const RECONNECT_DELAY_MAX_MS = 500;

const COMMON = {
  connectTimeout: 1_000,
  keepAlive: 10_000,
  retryStrategy: (attempt: number) => Math.min(20 * attempt, RECONNECT_DELAY_MAX_MS),
} satisfies RedisOptions;

/**
 * A connection that stays silent this long while an answer is due is given up and replaced: a failover or a vanished
 * host leaves it half open, and nothing else would ever close it.
 */
const SILENCE_MAX_MS = 2_000;

/** Workers wait for jobs on their connection, by blocking commands of up to ten seconds. */
const SILENCE_OF_WORKERS_MAX_MS = 15_000;

/** For callers who owe somebody an answer: a result or an error within about a second, whatever became of the server. */
export const FAIL_FAST = {
  ...COMMON,
  maxRetriesPerRequest: 1,
  enableOfflineQueue: false,
  commandTimeout: 1_000,
  socketTimeout: SILENCE_MAX_MS,
} satisfies RedisOptions;

/** For queue workers, which have nothing better to do than to wait until the server is back. */
export const WAIT_FOR_EVER = {
  ...COMMON,
  maxRetriesPerRequest: null,
  socketTimeout: SILENCE_OF_WORKERS_MAX_MS,
} satisfies RedisOptions;

export const failFast = (url: string): Redis => new Redis(url, FAIL_FAST);
