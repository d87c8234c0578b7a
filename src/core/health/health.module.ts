import { Module } from '@nestjs/common';
import { DispenserModule, RedisMemoryModule, WorkerPresence } from '../dispenser';
import { EngineWatch } from './engine-watch';
import { HealthController } from './health.controller';
import { HealthService } from './health.service';
import { PoolWatch } from './pool-watch';
import { PostgresWatch } from './postgres-watch';

@Module({
  imports: [RedisMemoryModule],
  controllers: [HealthController],
  providers: [EngineWatch, HealthService, PoolWatch, PostgresWatch],
})
export class HealthModule {}

@Module({ imports: [DispenserModule, HealthModule], providers: [WorkerPresence] })
export class WorkerHealthModule {}
