export { DispenserModule } from './dispenser.module';
export { RedisMemory } from './redis-memory';
