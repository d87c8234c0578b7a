import { Module } from '@nestjs/common';
import { ActivityModule } from '../activity';
import { DispenserModule, RedisTrustModule } from '../dispenser';
import { GrabModule } from '../grab';
import { NewsModule } from '../news';
import { ActivityCheck } from './activity-check';
import { ActivityLoader } from './activity-loader';
import { ActivityNews } from './activity-news';
import { ActivityRebuilder } from './activity-rebuilder';
import { ActivityReminder } from './activity-reminder';
import { ActivitySweep } from './activity-sweep';
import { ActivityTidying } from './activity-tidying';
import { EndedSweep } from './ended-sweep';
import { LoadingRepository } from './loading.repository';
import { RedisInventory } from './redis-inventory';
import { RedisReminder } from './redis-reminder';
import { TidyingRepository } from './tidying.repository';

const SHARED = [ActivityLoader, ActivityNews, ActivityTidying, LoadingRepository, TidyingRepository];

/** The way from Postgres into Redis, for activities that are missing there, wrong, or over. */
@Module({
  imports: [ActivityModule, DispenserModule, GrabModule, NewsModule],
  providers: SHARED,
  exports: SHARED,
})
export class RecoveryModule {}

@Module({
  imports: [ActivityModule, DispenserModule, GrabModule, RecoveryModule, RedisTrustModule],
  providers: [
    ActivityCheck,
    ActivityRebuilder,
    ActivityReminder,
    ActivitySweep,
    EndedSweep,
    RedisInventory,
    RedisReminder,
  ],
})
export class RecoveryWorkerModule {}
