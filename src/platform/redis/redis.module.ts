import { Global, Inject, Module, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { type RedisClient, Servers } from '../../../libs/redis-scripts';
import { askAtStart } from './ask-at-start';
import { evictingPolicy } from './eviction-policy';
import { RedisConnections } from './redis-connections';

export const REDIS = Symbol('REDIS');

/** Refuses to boot on a server that would evict money keys. */
@Global()
@Module({
  providers: [
    RedisConnections,
    {
      provide: REDIS,
      inject: [RedisConnections],
      useFactory: (connections: RedisConnections) => connections.serving(),
    },
    { provide: Servers, inject: [REDIS], useFactory: (redis: RedisClient) => Servers.behind(redis) },
  ],
  exports: [REDIS, RedisConnections, Servers],
})
export class RedisModule implements OnModuleInit, OnApplicationShutdown {
  constructor(
    @Inject(REDIS) private readonly redis: RedisClient,
    private readonly servers: Servers,
  ) {}

  async onModuleInit(): Promise<void> {
    const policy = await askAtStart(() => evictingPolicy(this.servers));
    if (policy !== undefined)
      throw new Error(
        `Redis runs with maxmemory-policy ${policy}; it must be noeviction, or packets would vanish.`,
      );
  }

  onApplicationShutdown(): void {
    this.redis.disconnect();
  }
}
