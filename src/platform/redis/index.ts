export { asRedisAppUser, redisAppUser } from './app-user';
export { askAtStart } from './ask-at-start';
export { evictingPolicy } from './eviction-policy';
export { RedisConnections } from './redis-connections';
export { REDIS, RedisModule } from './redis.module';
export { Subscription } from './subscription';
