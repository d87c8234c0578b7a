import { Injectable, type OnModuleInit } from '@nestjs/common';
import { AppConfig } from '../../../platform/config';
import { MissingActivities } from '../../grab';
import { ActivityRestoring } from './activity-restoring';
import { loadSlots } from './load-slots';

/** Loads the activities that clients ask for and Redis lacks. */
@Injectable()
export class LoadsOnDemand implements OnModuleInit {
  constructor(
    private readonly missing: MissingActivities,
    private readonly restoring: ActivityRestoring,
    private readonly config: AppConfig,
  ) {}

  onModuleInit(): void {
    this.missing.loadBy((activityId) => this.restoring.restore(activityId, 'wait'), loadSlots(this.config));
  }
}
