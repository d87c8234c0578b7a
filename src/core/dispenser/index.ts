export { ClockSkew } from './clock-skew';
export { DispenserModule } from './dispenser.module';
export { RedisTrust } from './redis-trust';
export { RedisTrustModule } from './redis-trust.module';
export { RedisMemory, type Room } from './redis-memory';
export { RedisMemoryModule } from './redis-memory.module';
export { WorkerPresence, workerSeenSecondsAgo } from './worker-presence';
export { isDoubted, ShardHistories, type Trust } from './shard-histories';
