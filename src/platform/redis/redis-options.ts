import type { ClusterOptions, RedisOptions } from 'ioredis';

const RETRY_DELAY_MAX_MS = 500;
const retryDelayMs = (attempt: number): number => Math.min(20 * attempt, RETRY_DELAY_MAX_MS);

const CONNECTION = { connectTimeout: 1_000, keepAlive: 10_000 } satisfies RedisOptions;

/**
 * A connection that is silent this long while an answer is due is replaced: a failover or a
 * vanished host leaves it half open, and nothing else would close it.
 */
const SILENCE_MAX_MS = 2_000;

/** Workers wait for jobs on their connection, by blocking commands of up to ten seconds. */
const SILENCE_OF_WORKERS_MAX_MS = 15_000;

/** The behaviour of a caller while a server is down. */
export interface Manner {
  readonly server: RedisOptions;
  /** A single server, or one at a time. */
  readonly single: RedisOptions;
  readonly cluster: ClusterOptions;
}

const CLUSTER = {
  clusterRetryStrategy: retryDelayMs,
  // Names stay unresolved: certificates contain them, and an address may change.
  dnsLookup: (name, use) => use(null, name),
  slotsRefreshInterval: 5_000,
} satisfies ClusterOptions;

/**
 * Callers with a request to answer get a result or an error within about a second. A cluster's
 * client would send scripts up to sixteen times, a tenth of a second apart; instead they get an
 * error within milliseconds when a master is down, and decide themselves when to try again.
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

/** Queue workers wait until the server is back. */
export const PATIENT: Manner = {
  server: { ...CONNECTION, maxRetriesPerRequest: null, socketTimeout: SILENCE_OF_WORKERS_MAX_MS },
  single: { retryStrategy: retryDelayMs },
  cluster: CLUSTER,
};
