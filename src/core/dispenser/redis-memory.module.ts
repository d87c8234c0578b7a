import { Module } from '@nestjs/common';
import { RedisMemory } from './redis-memory';

@Module({ providers: [RedisMemory], exports: [RedisMemory] })
export class RedisMemoryModule {}
