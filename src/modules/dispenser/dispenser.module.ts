import { Module, type OnModuleInit } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { Redis } from 'ioredis';
import { DataSource } from 'typeorm';
import { Dispenser } from '../../../libs/redis-scripts';
import { AppConfig } from '../../platform/config';
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

  async onModuleInit(): Promise<void> {
    const configured = String(this.config.SHARD_COUNT);
    await this.dataSource.query(
      `insert into setting (name, value) values ('shard_count', $1) on conflict (name) do nothing`,
      [configured],
    );
    const [row] = await this.dataSource.query<{ value: string }[]>(
      `select value from setting where name = 'shard_count'`,
    );
    const value = row?.value;
    if (value !== configured)
      throw new Error(`SHARD_COUNT is ${configured}, but this data was written with ${value}.`);
  }
}
