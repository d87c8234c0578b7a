import { Injectable, Logger } from '@nestjs/common';
import { OwnRedis, Standings } from '../../../../libs/redis-scripts';
import { Repeats } from '../../../platform/schedule';
import { type Activity, ActivityRepository } from '../../activity';
import { NewerActivities } from '../../recovery';
import { ActivityClosing } from './activity-closing';
import { ClosingRepository } from './closing.repository';

const CLOSED_PER_PAGE = 100;
const CLOSED_AT_ONCE = 4;

@Injectable()
export class DueClosing {
  private readonly logger = new Logger('DueClosing');
  private readonly newer = new NewerActivities(this.logger);

  constructor(
    private readonly activities: ActivityRepository,
    private readonly closings: ClosingRepository,
    private readonly closing: ActivityClosing,
    private readonly standings: Standings,
    private readonly own: OwnRedis,
  ) {}

  /**
   * Closes activities whose window is over, and those whose end was decided but may not be
   * finished. It takes all of them, page after page: however many fail, the others do not wait.
   */
  @Repeats('CloseDue', 'SWEEP_INTERVAL_MS')
  async closeDue(stopping?: AbortSignal): Promise<void> {
    if (this.own.isForeign) return;
    for (let page: string[] | undefined; page === undefined || page.length === CLOSED_PER_PAGE;) {
      if (stopping?.aborted) return;
      page = await this.closings.toEnd(page?.at(-1) ?? '0', CLOSED_PER_PAGE);
      const ids = page.values();
      await Promise.all(Array.from({ length: CLOSED_AT_ONCE }, () => this.closeSome(ids, stopping)));
    }
  }

  private async closeSome(ids: Iterable<string>, stopping?: AbortSignal): Promise<void> {
    for (const id of ids) {
      if (stopping?.aborted) return;
      await this.close(id).catch((error: unknown) => this.logger.error(`Activity ${id}: ${String(error)}`));
    }
  }

  /** The window has to be over by the clock of the activity's own server as well. */
  private async close(id: string): Promise<void> {
    const { status, nowMs } = await this.standings.readStanding(this.standings.keys.placeOf(id));
    if (!this.newer.mayTouch({ id, status })) return;
    const activity = await this.activities.findActivity(id);
    if (activity && isDue(activity, nowMs)) await this.closing.close(activity, 'after-closing');
  }
}

const isDue = ({ ending, closesAt }: Activity, nowMs: number): boolean =>
  ending !== null || closesAt.getTime() <= nowMs;
