import { Injectable, Logger } from '@nestjs/common';
import { Batcher } from '../../../../libs/batching';
import { OwnRedis } from '../../../../libs/redis-scripts';
import { AppConfig } from '../../../platform/config';
import { Repeats } from '../../../platform/schedule';
import { Metrics } from '../../../platform/telemetry';
import { ActivityNews } from '../tidy/activity-news';
import { loadSlots } from '../restore/load-slots';
import { type ActiveActivity, LoadingRepository } from '../record/loading.repository';
import { ActivityCheck, MENDINGS } from './activity-check';

/** The next sweep continues after these, and starts over at the end. */
const LOOKED_AT_MAX = 1_000;

/** Checks that share a round trip. */
const LOOKS_IN_FLIGHT_MAX = 100;

/** Repairs activities that Redis has lost, or that a crash left half done. */
@Injectable()
export class ActivitySweep {
  private readonly logger = new Logger('ActivitySweep');
  private readonly mended;
  private readonly looks = fewAtATime<boolean>(LOOKS_IN_FLIGHT_MAX);
  private readonly mendings;
  private lookedAt = '0';
  /** Activities whose last mending failed. */
  private readonly troubled = new Map<string, ActiveActivity>();

  constructor(
    private readonly toLoad: LoadingRepository,
    private readonly check: ActivityCheck,
    private readonly own: OwnRedis,
    private readonly news: ActivityNews,
    config: AppConfig,
    metrics: Metrics,
  ) {
    this.mended = metrics.counters({
      name: 'hongbao_activities_mended_total',
      help: 'Activities that the sweeper has corrected in Redis: loaded, extended by what was added to them, given a later end, loaded again because packets did not add up, or closed',
      label: 'how',
      values: MENDINGS,
    });
    this.mendings = fewAtATime<void>(loadSlots(config));
  }

  /** Mends without a pause until nothing is left: a loss in Redis seldom comes alone. */
  @Repeats('MendActivities', 'SWEEP_INTERVAL_MS')
  async mendAll(stopping?: AbortSignal): Promise<void> {
    if (this.own.isForeign) return;
    let mended: boolean;
    do {
      mended = await this.mendSome(stopping);
    } while (mended && this.lookedAt !== '0' && !stopping?.aborted);
  }

  /** Returns whether anything had to be mended, and was. */
  private async mendSome(stopping?: AbortSignal): Promise<boolean> {
    const activities = await this.toLoad.active(this.lookedAt, LOOKED_AT_MAX);
    this.lookedAt = activities.length < LOOKED_AT_MAX ? '0' : activities.at(-1)!.id;
    const mended = await Promise.all(
      activities
        .filter(({ id }) => !this.troubled.has(id))
        .map((activity) => this.looks.submit(() => this.tryToMend(activity, stopping))),
    );
    return mended.includes(true);
  }

  /** Retries failed mendings in turn. Other activities do not wait for them. */
  @Repeats('MendTroubled', 'SWEEP_INTERVAL_MS')
  async mendTroubled(stopping?: AbortSignal): Promise<void> {
    if (this.own.isForeign) return;
    for (const activity of [...this.troubled.values()]) await this.tryToMend(activity, stopping);
  }

  /**
   * Leaves an activity whose shard remembers what Postgres has lost to the reminder, which submits
   * its winners first.
   */
  private async tryToMend(activity: ActiveActivity, stopping?: AbortSignal): Promise<boolean> {
    const { id } = activity;
    if (stopping?.aborted || this.own.isAhead(activity)) return false;
    const mended = await this.attempt(id, () => this.mend(activity, stopping));
    if (mended === undefined) this.troubled.set(id, activity);
    else this.troubled.delete(id);
    return mended ?? false;
  }

  /** Returns whether anything had to be mended. At a stop, work not begun is left to others. */
  private async mend(activity: ActiveActivity, stopping?: AbortSignal): Promise<boolean> {
    const { sound, mending } = await this.check.lookAt(activity);
    if (sound) await this.news.tellOpen(activity.id, sound);
    if (!mending) return false;
    this.mended[mending.how].inc();
    await this.mendings.submit(async () => {
      if (!stopping?.aborted) await mending.work();
    });
    return true;
  }

  /** Undefined if the work fails: one activity in trouble must not keep the others waiting. */
  private async attempt<T>(id: string, work: () => Promise<T>): Promise<T | undefined> {
    return work().catch((error: unknown) => {
      this.logger.error(`Activity ${id}: ${String(error)}`);
      return undefined;
    });
  }
}

/** Runs the given work in the order of arrival, and at most `concurrencyMax` at a time. */
const fewAtATime = <T>(concurrencyMax: number): Batcher<() => Promise<T>, T> =>
  new Batcher({ run: ([work]) => work!().then((result) => [result]), sizeMax: 1, concurrencyMax });
