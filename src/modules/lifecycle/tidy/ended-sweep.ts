import { Injectable, Logger } from '@nestjs/common';
import { type Standing, Standings } from '../../../../libs/redis-scripts';
import { Repeats } from '../../../platform/schedule';
import { Metrics } from '../../../platform/telemetry';
import { ActivityRepository, type EndedInRedis } from '../../activity';
import { TOLD_CLOSED } from '../activity-news';
import { NewerActivities } from '../newer-activities';
import { ActivityTidying } from './activity-tidying';

/** Activities looked at in one sweep; the next sweep goes on after them, and begins again at the end. */
const LOOKED_AT_MAX = 1_000;

/** Removes from Redis what has ended, however long ago: packets whose closer died, and everything when it is time. */
@Injectable()
export class EndedSweep {
  private readonly logger = new Logger('EndedSweep');
  private readonly newer = new NewerActivities(this.logger);
  private readonly swept;
  private lookedAt?: EndedInRedis;

  constructor(
    private readonly activities: ActivityRepository,
    private readonly tidying: ActivityTidying,
    private readonly standings: Standings,
    metrics: Metrics,
  ) {
    this.swept = metrics.counters({
      name: 'hongbao_ended_activities_swept_total',
      help: 'Ended activities that the sweeper has tidied up in Redis in place of their closer, or has made Redis forget',
      label: 'how',
      values: ['tidied up', 'forgotten'],
    });
  }

  /**
   * One activity that makes trouble must not keep the others waiting; a full Redis fails many of them, which share one
   * line of the log.
   */
  @Repeats('EndedSweep', 'SWEEP_INTERVAL_MS')
  async sweep(stopping?: AbortSignal): Promise<void> {
    const failed: string[] = [];
    for (const activity of await this.nextPage()) {
      if (stopping?.aborted) return;
      await this.tidyUp(activity).catch((error: unknown) => failed.push(`${activity.id}: ${String(error)}`));
    }
    if (failed.length > 0)
      this.logger.error(`${failed.length} ended activities stay as they are for now. Activity ${failed[0]}`);
  }

  /** Those of the next page for which something is to be done. */
  private async nextPage(): Promise<EndedInRedis[]> {
    const page = await this.activities.endedInRedis(this.lookedAt, LOOKED_AT_MAX);
    this.lookedAt = page.length < LOOKED_AT_MAX ? undefined : page.at(-1);
    const standings = await this.standings.ofAll(page.map(({ id }) => id));
    return page
      .map((activity, i) => ({ ...activity, ...standings[i]! }))
      .filter((activity) => activity.isOver || !activity.isTidied || !isTidy(activity))
      .filter((activity) => this.newer.mayTouch(activity));
  }

  private async tidyUp({ id, isOver }: EndedInRedis): Promise<void> {
    if (await this.tidying.tidyUp(id)) this.swept[isOver ? 'forgotten' : 'tidied up'].inc();
  }
}

/** What Redis has lost altogether may stay lost: Postgres answers. */
function isTidy({ status, packetsLeft, told }: Pick<Standing, 'status' | 'packetsLeft' | 'told'>): boolean {
  const isTold = status === undefined || (status === 'closed' && told === TOLD_CLOSED);
  return isTold && packetsLeft === 0;
}
