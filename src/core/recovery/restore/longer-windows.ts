import { Injectable, Logger } from '@nestjs/common';
import { ActivityRepository } from '../../activity';
import { ActivityNews } from '../tidy/activity-news';
import { ActivityLoader } from './activity-loader';

/**
 * Makes known that the window of an activity ends later than it did. Those who watch it are notified first:
 * if the process dies in between, Redis still has the old end, and the sweep does both again.
 */
@Injectable()
export class LongerWindows {
  private readonly logger = new Logger('LongerWindows');

  constructor(
    private readonly activities: ActivityRepository,
    private readonly news: ActivityNews,
    private readonly loader: ActivityLoader,
  ) {}

  /** @throws if Redis is down */
  async makeKnown(id: string): Promise<void> {
    const activity = await this.activities.findActivity(id);
    if (activity?.status !== 'active' || activity.ending !== null) return;
    await this.news.tellExtended(activity);
    await this.loader.prolong(id);
  }

  /** If it fails, it is left to `MendActivities`. */
  async makeKnownOrLeave(id: string): Promise<void> {
    await this.makeKnown(id).catch((error: unknown) => {
      this.logger.warn(`Activity ${id}: Redis does not know yet that it ends later: ${String(error)}`);
    });
  }
}
