import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { Cluster, Redis, type RedisOptions } from 'ioredis';
import { once } from 'node:events';
import { isCluster, type RedisClient, Servers } from '../../../libs/redis-scripts';
import { type Endpoint, endpointOf } from '../../../libs/connection-faults';
import { AppConfig } from '../config';
import { askAtStart } from './ask-at-start';
import { redisFault } from './connection-advice';
import { FAIL_FAST, type Manner, PATIENT } from './redis-options';

const REDIS_PORT = 6379;
const READY_TIMEOUT_MS = 5_000;
const SENTINEL_TIMEOUT_MS = 1_000;

/** All connections to Redis are made here, or are duplicates of a connection made here. */
@Injectable()
export class RedisConnections implements OnApplicationShutdown {
  private readonly logger = new Logger('Redis');
  private readonly kept = new Set<RedisClient>();

  constructor(private readonly config: AppConfig) {}

  /**
   * Fails fast, and belongs to the caller.
   * @throws Error with one line when Redis cannot be reached, or is not what the configuration says
   */
  async serving(): Promise<RedisClient> {
    const redis = this.connect(FAIL_FAST);
    redis.on('error', (error: Error) => this.logger.warn(error.message || error.name));
    redis.on('node error', (error: Error, node: string) => this.logger.warn(`${node}: ${error.message}`));
    redis.on('ready', () => this.logger.log('connected'));
    try {
      await askAtStart(() => readiness(redis));
    } catch (cause) {
      redis.disconnect();
      const fault = await redisFault(cause, this.endpoint);
      throw new Error(`Redis (${this.setting}) cannot be reached. At this address ${fault}`, { cause });
    }
    await this.expectNoNode(redis).catch((error: unknown) => {
      redis.disconnect();
      throw error;
    });
    await connectToAll(redis);
    return redis;
  }

  /** Fails at once while the queue is down. */
  forProducers(): RedisClient {
    return this.keep(this.connect(FAIL_FAST));
  }

  /** Waits until Redis is back. */
  forWorkers(): RedisClient {
    return this.keep(this.connect(PATIENT));
  }

  onApplicationShutdown(): void {
    for (const redis of this.kept) redis.disconnect();
  }

  /** The queues report the errors of this connection. */
  private keep(redis: RedisClient): RedisClient {
    this.kept.add(redis);
    return redis.on('error', () => undefined);
  }

  private connect({ server, single, cluster }: Manner): RedisClient {
    const { REDIS_URL, REDIS_CLUSTER_NODES, REDIS_SENTINELS } = this.config;
    if (REDIS_URL !== undefined) return new Redis(REDIS_URL, { ...server, ...single });
    if (REDIS_SENTINELS !== undefined)
      return new Redis({ ...server, ...single, ...this.credentials, ...this.sentinels });
    const redisOptions = { ...server, ...this.credentials };
    return new Cluster([...REDIS_CLUSTER_NODES!], { ...cluster, redisOptions });
  }

  private get credentials(): RedisOptions {
    const { REDIS_USERNAME: username, REDIS_PASSWORD: password, REDIS_TLS } = this.config;
    return { username, password, ...(REDIS_TLS && { tls: {} }) };
  }

  private get sentinels(): RedisOptions {
    const { config } = this;
    return {
      sentinels: [...config.REDIS_SENTINELS!],
      name: config.REDIS_SENTINEL_NAME,
      sentinelUsername: config.REDIS_SENTINEL_USERNAME,
      sentinelPassword: config.REDIS_SENTINEL_PASSWORD,
      sentinelCommandTimeout: SENTINEL_TIMEOUT_MS,
      sentinelRetryStrategy: FAIL_FAST.single.retryStrategy!,
      enableTLSForSentinelMode: config.REDIS_TLS,
      ...(config.REDIS_TLS && { sentinelTLS: {} }),
    };
  }

  private get setting(): string {
    if (this.config.REDIS_URL !== undefined) return 'REDIS_URL';
    return this.config.REDIS_SENTINELS === undefined ? 'REDIS_CLUSTER_NODES' : 'REDIS_SENTINELS';
  }

  /** Undefined for several servers: each has itself reported what is wrong. */
  private get endpoint(): Endpoint | undefined {
    if (this.config.REDIS_URL === undefined) return undefined;
    const url = new URL(this.config.REDIS_URL);
    return endpointOf(url, REDIS_PORT, url.protocol === 'rediss:');
  }

  /** A single node of a cluster would serve some activities, and refuse the rest forever. */
  private async expectNoNode(redis: RedisClient): Promise<void> {
    if (isCluster(redis) || !/^cluster_enabled:1/m.test(await askAtStart(() => redis.info('cluster'))))
      return;
    throw new Error(
      `${this.setting} leads to a node of a Redis Cluster: name its nodes in REDIS_CLUSTER_NODES instead.`,
    );
  }
}

async function readiness(redis: RedisClient): Promise<void> {
  if (redis.status !== 'ready') await once(redis, 'ready', { signal: AbortSignal.timeout(READY_TIMEOUT_MS) });
}

/** A cluster's client connects to a master at its first command, and refuses them until then. */
async function connectToAll(redis: RedisClient): Promise<void> {
  await Promise.allSettled(Servers.behind(redis).keys.map((key) => redis.exists(key)));
}
