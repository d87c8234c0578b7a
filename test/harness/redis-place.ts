import { Cluster, Redis } from 'ioredis';
import { type RedisClient, RedisKeys } from '../../libs/redis-scripts';
import type { Engine, SteppedClock } from '../../src/dev/engines';
import { redisAppUrl, startTestRedis } from './engines';
import { RedisCluster } from './redis-cluster';
import { RedisSentinels } from './redis-sentinels';

/** The kind of Redis that a Jest project tests on. */
export type RedisKind = 'one server' | 'sentinel' | 'cluster';

/** A Redis that belongs to a single test and is empty at first. */
export interface RedisPlace {
  readonly env: NodeJS.ProcessEnv;
  /** The server, if there is only one. */
  readonly engine?: Engine;
  connect(): RedisClient;
  stop(): Promise<void>;
}

declare global {
  /** Set by the Jest project; see jest-projects.js. */
  var redisOfTests: RedisKind | undefined;
}

/** The variables in which a project's setup leaves the addresses of its Redis. */
export const PLACES_VARIABLE = { cluster: 'TEST_REDIS_CLUSTERS', sentinel: 'TEST_REDIS_SENTINELS' } as const;

let isTaken = false;

/** No node dies in these tests, but one can be silent for seconds on a busy machine. */
const SILENT_MS = 30_000;

export const startSystem = (
  kind: Exclude<RedisKind, 'one server'>,
): Promise<RedisCluster | RedisSentinels> =>
  kind === 'cluster'
    ? RedisCluster.start({ silentMs: SILENT_MS })
    : RedisSentinels.start({ silentMs: SILENT_MS });

export function startRedisPlace(): Promise<RedisPlace> {
  const kind = globalThis.redisOfTests ?? 'one server';
  if (kind === 'one server') return startOneServer();
  if (isTaken) return startAnother(kind);
  return takeShared(kind);
}

/** Keys by the shard count that programs have by default. */
export const keysIn = (redis: RedisClient): RedisKeys =>
  new RedisKeys(16, { inCluster: redis instanceof Cluster });

export function queueKey(redis: RedisClient, queue: string, name: string): string {
  const prefix = redis instanceof Cluster ? `{bull:${queue}}` : '{bull}';
  return `${prefix}:${queue}:${name}`;
}

/** Starts a single server, whatever the project, for properties that only a single server has. */
export async function startOneServer(options: { clock?: SteppedClock } = {}): Promise<RedisPlace> {
  const engine = await startTestRedis(options);
  return {
    env: { REDIS_URL: redisAppUrl(engine.url) },
    engine,
    connect: () => new Redis(engine.url),
    stop: () => engine.stop(),
  };
}

/** Takes the Redis that all files of this worker use in turn, because starting one takes long. */
async function takeShared(kind: Exclude<RedisKind, 'one server'>): Promise<RedisPlace> {
  isTaken = true;
  const places = JSON.parse(process.env[PLACES_VARIABLE[kind]]!) as NodeJS.ProcessEnv[];
  const env = places[Number(process.env.JEST_WORKER_ID) - 1]!;
  await emptied(env);
  return {
    env,
    connect: () => connect(env),
    stop: () => {
      isTaken = false;
      return Promise.resolve();
    },
  };
}

async function startAnother(kind: Exclude<RedisKind, 'one server'>): Promise<RedisPlace> {
  const own = await startSystem(kind);
  return { env: own.env, connect: () => connect(own.env), stop: () => own.stop() };
}

async function emptied(env: NodeJS.ProcessEnv): Promise<void> {
  const redis = connect(env);
  // The last file may have failed while the memory was limited.
  await redis.config('SET', 'maxmemory', '0');
  await redis.flushall();
  redis.disconnect();
}

function connect({ REDIS_CLUSTER_NODES, REDIS_SENTINELS, REDIS_SENTINEL_NAME }: NodeJS.ProcessEnv) {
  if (REDIS_CLUSTER_NODES) return connectToAll(addressesOf(REDIS_CLUSTER_NODES));
  return new Redis({ sentinels: addressesOf(REDIS_SENTINELS!), name: REDIS_SENTINEL_NAME });
}

/** Sends commands without a key to all nodes; a cluster's client would pick just one. */
function connectToAll(nodes: { host: string; port: number }[]): Cluster {
  const cluster = new Cluster(nodes);
  const onAll = async <T>(ask: (node: Redis) => Promise<T>): Promise<T[]> => {
    await cluster.exists('any key, so that all nodes are known');
    return Promise.all(cluster.nodes('master').map(ask));
  };
  return Object.assign(cluster, {
    flushall: async () => (await onAll((node) => node.flushall()))[0],
    keys: async (pattern: string) => (await onAll((node) => node.keys(pattern))).flat(),
    config: async (...args: Parameters<Redis['config']>) => (await onAll((node) => node.config(...args)))[0],
    script: async (...args: Parameters<Redis['script']>) => (await onAll((node) => node.script(...args)))[0],
  });
}

const addressesOf = (list: string) =>
  list.split(',').map((address) => {
    const [host, port] = address.split(':');
    return { host: host!, port: Number(port) };
  });
