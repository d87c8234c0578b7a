export { asRedisAppUser, redisAppUser } from './app-user';
export { evictingPolicy } from './eviction-policy';
export { RedisConnections } from './redis-connections';
export { REDIS, RedisModule } from './redis.module';
export { Subscription } from './subscription';
