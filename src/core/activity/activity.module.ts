import { Module } from '@nestjs/common';
import { DispenserModule } from '../dispenser';
import { OutletModule } from '../outlet';
import { LogoController } from './logo.controller';
import { ActivityController } from './activity.controller';
import { ActivityRepository } from './activity.repository';
import { ActivityService } from './activity.service';
import { ActivityViews } from './activity-views';
import { ClockController } from './clock.controller';
import { WindowEnd } from './window-end';

/** The facts of an activity, and who may manage it. The module `lifecycle` changes it. */
@Module({
  imports: [DispenserModule, OutletModule],
  providers: [ActivityRepository, ActivityViews, WindowEnd],
  exports: [ActivityRepository, ActivityViews, WindowEnd],
})
export class ActivityModule {}

@Module({
  imports: [ActivityModule, DispenserModule],
  controllers: [ActivityController, ClockController, LogoController],
  providers: [ActivityService],
})
export class ActivityApiModule {}
