import { Injectable, Logger } from '@nestjs/common';
import { type Standing, Standings } from '../../../../libs/redis-scripts';
import { Repeats } from '../../../platform/schedule';
import { Metrics } from '../../../platform/telemetry';
import { ActivityNews, TOLD_CLOSED } from './activity-news';
import { NewerActivities } from './newer-activities';
import { ActivityTidying } from './activity-tidying';
import { type EndedInRedis, TidyingRepository } from '../record/tidying.repository';

/** The next sweep continues after these, and starts over at the end. */
const LOOKED_AT_MAX = 1_000;

/** A backlog, after an outage or many rains, leaves Postgres and Redis to taps between two sweeps. */
const FINISHED_MAX = 100;

/**
 * Removes ended activities from Redis, however long ago they ended: packets whose closer died, and everything
 * else in time.
 */
@Injectable()
export class EndedSweep {
  private readonly logger = new Logger('EndedSweep');
  private readonly newer = new NewerActivities(this.logger);
  private readonly swept;
  private lookedAt?: EndedInRedis;

  constructor(
    private readonly tidyings: TidyingRepository,
    private readonly tidying: ActivityTidying,
    private readonly standings: Standings,
    private readonly news: ActivityNews,
    metrics: Metrics,
  ) {
    this.swept = metrics.counters({
      name: 'hongbao_ended_activities_swept_total',
      help: 'Ended activities that the sweeper has tidied up in Redis because their closer did not, or has made Redis forget',
      label: 'how',
      values: ['tidied up', 'forgotten'],
    });
  }

  /**
   * One activity in trouble does not keep the others waiting. A full Redis fails many of them,
   * which share one line of the log.
   */
  @Repeats('EndedSweep', 'SWEEP_INTERVAL_MS')
  async sweep(stopping?: AbortSignal): Promise<void> {
    const failed: string[] = [];
    for (const due of await this.nextDue()) {
      if (stopping?.aborted) return;
      await this.finish(due).catch((error: unknown) => failed.push(`${due.id}: ${String(error)}`));
    }
    if (failed.length > 0)
      this.logger.error(`${failed.length} ended activities stay as they are for now. Activity ${failed[0]}`);
  }

  /** Activities of the next page that need work, as many as one sweep finishes. */
  private async nextDue(): Promise<Ended[]> {
    const page = await this.tidyings.endedInRedis(this.lookedAt, LOOKED_AT_MAX);
    this.lookedAt = page.length < LOOKED_AT_MAX ? undefined : page.at(-1);
    const looks = await Promise.all(
      page.map((activity) => this.standings.at(this.standings.keys.placesOf(activity))),
    );
    const due = page
      .map((activity, i) => ({ ...activity, standings: looks[i]! }))
      .filter((ended) => ended.isOver || !ended.isTidied || !isFinished(ended))
      .filter(({ id, standings }) =>
        standings.every((standing) => this.newer.mayTouch({ id, status: standing?.status })),
      );
    if (due.length > FINISHED_MAX) this.lookedAt = due[FINISHED_MAX - 1];
    return due.slice(0, FINISHED_MAX);
  }

  private async finish(ended: Ended): Promise<void> {
    const { id, isOver } = ended;
    if (!isOver && ended.isTidied && ended.standings.every(isTidy)) await this.news.tellClosed(id);
    else if (await this.tidying.tidyUp(id)) this.swept[isOver ? 'forgotten' : 'tidied up'].inc();
  }
}

/** A part without a standing did not answer, and may be in order. */
type Ended = EndedInRedis & { readonly standings: readonly (Standing | undefined)[] };

/** Part 0 remembers the last message. */
const isFinished = ({ standings }: Ended): boolean =>
  standings.every((standing, part) => isPartFinished(standing, part === 0));

/** An activity that Redis has lost altogether may stay lost: Postgres answers. */
const isPartFinished = (standing: Standing | undefined, isTold: boolean): boolean =>
  standing === undefined ||
  (standing.status === undefined && standing.packetsLeft === 0) ||
  (isTidy(standing) && (!isTold || standing.told === TOLD_CLOSED));

/** A tidy part lacks at most the message about its end, and no claim that it was given. */
const isTidy = (standing: Standing | undefined): boolean =>
  standing?.status === 'closed' && standing.packetsLeft === 0 && standing.held >= (standing.claimed ?? 0);
