export { ClockSkew } from './clock-skew';
export { DispenserModule, RedisMemoryModule, RedisTrustModule } from './dispenser.module';
export { RedisTrust } from './redis-trust';
export { RedisMemory, type Room } from './redis-memory';
export { WorkerPresence, workerSeenSecondsAgo } from './worker-presence';
export { isDoubted, ShardHistories, type Trust } from './shard-histories';
