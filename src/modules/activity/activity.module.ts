import { Module } from '@nestjs/common';
import { DispenserModule } from '../dispenser';
import { ActivityController } from './activity.controller';
import { ActivityRepository } from './activity.repository';
import { ActivityService } from './activity.service';
import { ActivityViews } from './activity-views';
import { ClockController } from './clock.controller';
import { WindowEnd } from './window-end';

/** What an activity is, and who may manage it. What happens to it is the module `lifecycle`. */
@Module({
  imports: [DispenserModule],
  providers: [ActivityRepository, ActivityViews, WindowEnd],
  exports: [ActivityRepository, ActivityViews, WindowEnd],
})
export class ActivityModule {}

/** What clients may ask. */
@Module({
  imports: [ActivityModule, DispenserModule],
  controllers: [ActivityController, ClockController],
  providers: [ActivityService],
})
export class ActivityApiModule {}
