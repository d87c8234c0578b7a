import { Logger, Module, type OnModuleInit } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import {
  ForeignRedis,
  LatestCalls,
  OwnRedis,
  RainClosing,
  RainContents,
  RainLoading,
  type RedisClient,
  Reservations,
  ShardJournals,
  ShardTrust,
  Standings,
  TapTallies,
  WaitingLists,
} from '../../../libs/redis-scripts';
import { AppConfig } from '../../platform/config';
import { agreeOnSetting, installationId } from '../../platform/postgres';
import { askAtStart, REDIS } from '../../platform/redis';
import { RedisMemory } from './redis-memory';
import { RedisTrust } from './redis-trust';
import { ShardHistories } from './shard-histories';

const PARTS = [
  LatestCalls,
  Reservations,
  ShardJournals,
  RainLoading,
  RainClosing,
  RainContents,
  WaitingLists,
  Standings,
  ShardTrust,
  TapTallies,
];

/**
 * The Redis side of every rain. The number of shards decides the keys of an activity: a process
 * with another number would not find a single packet, and must not start. Neither must one whose
 * Redis belongs to another installation: it would hand out, close and refund packets of others.
 */
@Module({
  providers: [
    {
      provide: OwnRedis,
      inject: [REDIS, AppConfig],
      useFactory: (redis: RedisClient, config: AppConfig) => new OwnRedis(redis, config.SHARD_COUNT),
    },
    ...PARTS.map((Part) => ({
      provide: Part,
      inject: [OwnRedis],
      useFactory: (own: OwnRedis) => new Part(own),
    })),
    ShardHistories,
  ],
  exports: [OwnRedis, ...PARTS, ShardHistories],
})
export class DispenserModule implements OnModuleInit {
  private readonly logger = new Logger('Dispenser');

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly config: AppConfig,
    private readonly own: OwnRedis,
    private readonly trust: ShardTrust,
  ) {}

  async onModuleInit(): Promise<void> {
    this.own.noteRemoved = (keys) =>
      this.logger.error(
        `Keys held what no version of this program writes, and were removed: ${keys.join(', ')}`,
      );
    await agreeOnSetting(this.dataSource, 'SHARD_COUNT', String(this.config.SHARD_COUNT));
    this.own.identify(await installationId(this.dataSource));
    if (await askAtStart(() => this.own.belongsToOthers())) throw new ForeignRedis();
    // A Redis that refused writes receives everything again.
    await this.trust.adoptFormer().catch(() => undefined);
  }
}

@Module({ imports: [DispenserModule], providers: [RedisTrust], exports: [RedisTrust] })
export class RedisTrustModule {}

@Module({ providers: [RedisMemory], exports: [RedisMemory] })
export class RedisMemoryModule {}
