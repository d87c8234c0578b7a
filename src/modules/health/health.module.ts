import { Module } from '@nestjs/common';
import { RedisRoomModule } from '../dispenser';
import { HealthController } from './health.controller';
import { HealthService } from './health.service';
import { PostgresWatch } from './postgres-watch';

@Module({
  imports: [RedisRoomModule],
  controllers: [HealthController],
  providers: [HealthService, PostgresWatch],
})
export class HealthModule {}
