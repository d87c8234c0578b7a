import { Module } from '@nestjs/common';
import { ActivityModule } from '../activity';
import { DispenserModule, RedisTrustModule } from '../dispenser';
import { GrabModule } from '../grab';
import { NewsModule } from '../news';
import { ActivityCheck } from './mend/activity-check';
import { ActivityLoader } from './restore/activity-loader';
import { ActivityNews } from './tidy/activity-news';
import { ActivityRebuilder } from './restore/activity-rebuilder';
import { ActivityReminder } from './mend/activity-reminder';
import { ActivitySweep } from './mend/activity-sweep';
import { LongerWindows } from './restore/longer-windows';
import { ActivityTidying } from './tidy/activity-tidying';
import { EndedSweep } from './tidy/ended-sweep';
import { WrittenClaims } from './restore/written-claims';
import { LoadingRepository } from './record/loading.repository';
import { FoundHolders } from './mend/found-holders';
import { RedisInventory } from './mend/redis-inventory';
import { RedisReminder } from './mend/redis-reminder';
import { TidyingRepository } from './record/tidying.repository';

const SHARED = [
  ActivityLoader,
  ActivityNews,
  ActivityTidying,
  LoadingRepository,
  LongerWindows,
  TidyingRepository,
];

/** The path from Postgres into Redis, for activities that are missing there, wrong, or over. */
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
    FoundHolders,
    RedisInventory,
    RedisReminder,
    WrittenClaims,
  ],
})
export class RecoveryWorkerModule {}
