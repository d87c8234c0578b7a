import {
  Global,
  Inject,
  Logger,
  Module,
  type OnApplicationShutdown,
  type OnModuleInit,
} from '@nestjs/common';
import type { Redis } from 'ioredis';
import { once } from 'node:events';
import { AppConfig } from '../config';
import { evictionPolicy } from './eviction-policy';
import { failFast } from './redis-connection';

export const REDIS = Symbol('REDIS');

const READY_TIMEOUT_MS = 5_000;

/** The connection that serves requests. Refuses to boot on a server that would evict money keys. */
@Global()
@Module({
  providers: [
    { provide: REDIS, inject: [AppConfig], useFactory: (config: AppConfig) => connect(config.REDIS_URL) },
  ],
  exports: [REDIS],
})
export class RedisModule implements OnModuleInit, OnApplicationShutdown {
  constructor(@Inject(REDIS) private readonly redis: Redis) {}

  async onModuleInit(): Promise<void> {
    const policy = await evictionPolicy(this.redis);
    if (policy !== 'noeviction') {
      throw new Error(
        `Redis runs with maxmemory-policy ${policy}; it must be noeviction, or packets would vanish.`,
      );
    }
  }

  onApplicationShutdown(): void {
    this.redis.disconnect();
  }
}

async function connect(url: string): Promise<Redis> {
  const logger = new Logger('Redis');
  const redis = failFast(url);
  redis.on('error', (error: Error) => logger.warn(error.message || error.name));
  redis.on('ready', () => logger.log('connected'));
  try {
    if (redis.status !== 'ready')
      await once(redis, 'ready', { signal: AbortSignal.timeout(READY_TIMEOUT_MS) });
    return redis;
  } catch (cause) {
    redis.disconnect();
    throw new Error('Redis (REDIS_URL) cannot be reached.', { cause });
  }
}
