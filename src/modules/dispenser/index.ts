export { ClockSkew } from './clock-skew';
export { DispenserModule } from './dispenser.module';
export { RedisMemory } from './redis-memory';
export { RedisRoom, type Room } from './redis-room';
export { RedisRoomModule } from './redis-room.module';
export { isDoubted, RedisTrust, type Trust } from './redis-trust';
