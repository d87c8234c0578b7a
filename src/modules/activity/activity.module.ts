import { Module } from '@nestjs/common';
import { AuditModule } from '../audit';
import { DispenserModule, RedisMemory } from '../dispenser';
import { GrabModule } from '../grab';
import { NotificationModule } from '../notification';
import { WalletModule } from '../wallet';
import { ActivityClosing } from './activity-closing';
import { ActivityController } from './activity.controller';
import { ActivityCreation } from './activity-creation';
import { ActivityLoader } from './activity-loader';
import { ActivityNews } from './activity-news';
import { ActivityRepository } from './activity.repository';
import { ActivityService } from './activity.service';
import { ActivitySweep } from './activity-sweep';
import { ActivityTelling } from './activity-telling';
import { ActivityTidying } from './activity-tidying';
import { ActivityTopUp } from './activity-top-up';
import { ActivityViews } from './activity-views';
import { Additions } from './additions';
import { ClaimVoiding } from './claim-voiding';
import { EndedSweep } from './ended-sweep';
import { LargeWrites } from './large-writes';
import { LoadsOnDemand } from './loads-on-demand';
import { RedisReminder } from './redis-reminder';
import { TopUpController } from './top-up.controller';
import { TopUpRepository } from './top-up.repository';
import { TopUpService } from './top-up.service';
import { VoidController } from './void.controller';
import { VoidService } from './void.service';

/** From Postgres into Redis, and to the end. */
@Module({
  imports: [DispenserModule, GrabModule, NotificationModule, WalletModule],
  providers: [ActivityClosing, ActivityLoader, ActivityNews, ActivityRepository, ActivityTidying],
  exports: [ActivityClosing, ActivityLoader, ActivityNews, ActivityRepository, ActivityTidying],
})
export class ActivityModule {}

/** What clients may ask. */
@Module({
  imports: [ActivityModule, AuditModule, DispenserModule, GrabModule, WalletModule],
  controllers: [ActivityController, TopUpController, VoidController],
  providers: [
    ActivityCreation,
    ActivityService,
    ActivityTopUp,
    ActivityViews,
    Additions,
    ClaimVoiding,
    LargeWrites,
    LoadsOnDemand,
    TopUpRepository,
    TopUpService,
    VoidService,
  ],
})
export class ActivityApiModule {}

/** What is done in the background. */
@Module({
  imports: [ActivityModule, DispenserModule, GrabModule],
  providers: [ActivitySweep, ActivityTelling, EndedSweep, RedisMemory, RedisReminder],
})
export class ActivityWorkerModule {}
