import { Module, type OnModuleInit } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { Redis } from 'ioredis';
import { DataSource } from 'typeorm';
import { Dispenser } from '../../../libs/redis-scripts';
import { AppConfig } from '../../platform/config';
import { agreeOnSetting } from '../../platform/postgres';
import { REDIS } from '../../platform/redis';

/**
 * The Redis side of every rain. The number of shards decides under which keys an activity lives, so it is recorded with
 * the data: a process that was configured otherwise would not find a single packet, and must not start.
 */
@Module({
  providers: [
    {
      provide: Dispenser,
      inject: [REDIS, AppConfig],
      useFactory: (redis: Redis, config: AppConfig) => new Dispenser(redis, config.SHARD_COUNT),
    },
  ],
  exports: [Dispenser],
})
export class DispenserModule implements OnModuleInit {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly config: AppConfig,
  ) {}

  onModuleInit(): Promise<void> {
    return agreeOnSetting(this.dataSource, 'SHARD_COUNT', String(this.config.SHARD_COUNT));
  }
}
