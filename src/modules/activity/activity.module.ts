import { Module } from '@nestjs/common';
import { AuditModule } from '../audit';
import { DispenserModule } from '../dispenser';
import { GrabModule } from '../grab';
import { WalletModule } from '../wallet';
import { ActivityClosing } from './activity-closing';
import { ActivityController } from './activity.controller';
import { ActivityCreation } from './activity-creation';
import { ActivityLoader } from './activity-loader';
import { ActivityRepository } from './activity.repository';
import { ActivityService } from './activity.service';
import { ActivitySweep } from './activity-sweep';
import { ActivityViews } from './activity-views';
import { RedisReminder } from './redis-reminder';

/** From Postgres into Redis, and to the end. */
@Module({
  imports: [DispenserModule, GrabModule, WalletModule],
  providers: [ActivityClosing, ActivityLoader, ActivityRepository],
  exports: [ActivityClosing, ActivityLoader, ActivityRepository],
})
export class ActivityModule {}

/** What clients may ask. */
@Module({
  imports: [ActivityModule, AuditModule, DispenserModule, WalletModule],
  controllers: [ActivityController],
  providers: [ActivityCreation, ActivityService, ActivityViews],
})
export class ActivityApiModule {}

/** What is done behind their backs. */
@Module({
  imports: [ActivityModule, DispenserModule, GrabModule],
  providers: [ActivitySweep, RedisReminder],
})
export class ActivityWorkerModule {}
