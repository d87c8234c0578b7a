import type { ClusterOptions, RedisOptions } from 'ioredis';

const RETRY_DELAY_MAX_MS = 500;
const retryDelayMs = (attempt: number): number => Math.min(20 * attempt, RETRY_DELAY_MAX_MS);

const CONNECTION = { connectTimeout: 1_000, keepAlive: 10_000 } satisfies RedisOptions;

/**
 * A connection that stays silent this long while an answer is due is given up and replaced: a failover or a vanished
 * host leaves it half open, and nothing else would ever close it.
 */
const SILENCE_MAX_MS = 2_000;

/** Workers wait for jobs on their connection, by blocking commands of up to ten seconds. */
const SILENCE_OF_WORKERS_MAX_MS = 15_000;

/** How a caller of Redis deals with a server that is away. */
export interface Manner {
  /** Towards every server. */
  readonly server: RedisOptions;
  /** Where there is one server, or one at a time. */
  readonly single: RedisOptions;
  readonly cluster: ClusterOptions;
}

/** What a cluster does without being asked, for every caller. */
const CLUSTER = {
  clusterRetryStrategy: retryDelayMs,
  // The names of the nodes go to the connections as they are: their certificates name them, and an address may change.
  dnsLookup: (name, use) => use(null, name),
  slotsRefreshInterval: 5_000,
} satisfies ClusterOptions;

/**
 * For callers who owe somebody an answer: a result or an error within about a second, whatever became of the server. In a
 * cluster they hear within milliseconds that a master is away, and ask again when they like: by itself the client would
 * send their scripts up to sixteen times, a tenth of a second apart.
 */
export const FAIL_FAST: Manner = {
  server: { ...CONNECTION, commandTimeout: 1_000, socketTimeout: SILENCE_MAX_MS },
  single: { retryStrategy: retryDelayMs, maxRetriesPerRequest: 1, enableOfflineQueue: false },
  cluster: {
    ...CLUSTER,
    enableOfflineQueue: false,
    maxRedirections: 3,
    retryDelayOnClusterDown: 0,
    retryDelayOnFailover: 0,
    retryDelayOnTryAgain: 20,
  },
};

/** For queue workers, which have nothing better to do than to wait until the server is back. */
export const PATIENT: Manner = {
  server: { ...CONNECTION, maxRetriesPerRequest: null, socketTimeout: SILENCE_OF_WORKERS_MAX_MS },
  single: { retryStrategy: retryDelayMs },
  cluster: CLUSTER,
};
