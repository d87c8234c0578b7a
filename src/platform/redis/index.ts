export { asRedisAppUser, redisAppUser } from './app-user';
export { evictionPolicy } from './eviction-policy';
export { FAIL_FAST, failFast, WAIT_FOR_EVER } from './redis-connection';
export { REDIS, RedisModule } from './redis.module';
