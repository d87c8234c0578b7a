import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { DispenserModule } from '../dispenser';
import { OutletModule } from '../outlet';
import { LogoController } from './logo.controller';
import { ActivityController } from './activity.controller';
import { ActivityRepository } from './activity.repository';
import { ActivityService } from './activity.service';
import { ActivityViews } from './activity-views';
import { ClockController } from './clock.controller';
import { Visibility } from './visibility';
import { VisibilityGuard } from './visibility.guard';
import { WindowEnd } from './window-end';

/** The facts of an activity, and who may manage it. The module `lifecycle` changes it. */
@Module({
  imports: [DispenserModule, OutletModule],
  providers: [ActivityRepository, ActivityViews, Visibility, WindowEnd],
  exports: [ActivityRepository, ActivityViews, Visibility, WindowEnd],
})
export class ActivityModule {}

@Module({
  imports: [ActivityModule, DispenserModule],
  controllers: [ActivityController, ClockController, LogoController],
  providers: [ActivityService, { provide: APP_GUARD, useClass: VisibilityGuard }],
})
export class ActivityApiModule {}
