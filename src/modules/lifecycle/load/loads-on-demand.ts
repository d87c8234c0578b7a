import { Injectable, type OnModuleInit } from '@nestjs/common';
import { AppConfig } from '../../../platform/config';
import { MissingActivities } from '../../grab';
import { ActivityLoader } from './activity-loader';
import { loadSlots } from './load-slots';

/** Loads the activities that clients ask for and Redis lacks. */
@Injectable()
export class LoadsOnDemand implements OnModuleInit {
  constructor(
    private readonly missing: MissingActivities,
    private readonly loader: ActivityLoader,
    private readonly config: AppConfig,
  ) {}

  onModuleInit(): void {
    this.missing.loadBy((activityId) => this.loader.restore(activityId), loadSlots(this.config));
  }
}
