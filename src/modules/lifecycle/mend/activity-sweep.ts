import { Injectable, Logger } from '@nestjs/common';
import { Batcher } from '../../../../libs/batching';
import { type CloseWhen, OwnRedis, Standings } from '../../../../libs/redis-scripts';
import { AppConfig } from '../../../platform/config';
import { Repeats } from '../../../platform/schedule';
import { Metrics } from '../../../platform/telemetry';
import { ActivityRepository } from '../../activity';
import { ActivityClosing } from '../close/activity-closing';
import { ActivityLoader } from '../load/activity-loader';
import { ActivityNews } from '../activity-news';
import { loadSlots } from '../load/load-slots';
import { NewerActivities } from '../newer-activities';

/** Activities looked at in one sweep; the next sweep goes on after them, and begins again at the end. */
const LOOKED_AT_MAX = 1_000;
const CLOSED_PER_PAGE = 100;
const CLOSED_AT_ONCE = 4;

/** This many looks share a round trip. */
const LOOKS_IN_FLIGHT_MAX = 100;

/** Sets right what Redis has lost or a crash left half done, and closes what is over. */
@Injectable()
export class ActivitySweep {
  private readonly logger = new Logger('ActivitySweep');
  private readonly newer = new NewerActivities(this.logger);
  private readonly mended;
  private readonly looks = fewAtATime<boolean>(LOOKS_IN_FLIGHT_MAX);
  private readonly repairs;
  private lookedAt = '0';
  /** By their ids: what could not be mended when it was tried last. */
  private readonly troubled = new Map<string, Looked>();

  constructor(
    private readonly activities: ActivityRepository,
    private readonly loader: ActivityLoader,
    private readonly closing: ActivityClosing,
    private readonly standings: Standings,
    private readonly own: OwnRedis,
    private readonly news: ActivityNews,
    config: AppConfig,
    metrics: Metrics,
  ) {
    this.mended = metrics.counter({
      name: 'activities_mended_total',
      help: 'Activities that the sweeper has set right in Redis: loaded, extended by what was added to them, loaded again because packets did not add up, or closed',
      labelNames: ['how'],
    });
    this.repairs = fewAtATime<void>(loadSlots(config));
  }

  /** A Redis that has lost one activity has lost others as well: then the sweep goes on without a pause. */
  @Repeats('MendActivities', 'SWEEP_INTERVAL_MS')
  async mendAll(stopping?: AbortSignal): Promise<void> {
    if (!this.mayMend) return;
    let mended: boolean;
    do {
      mended = await this.mendSome(stopping);
    } while (mended && this.lookedAt !== '0' && !stopping?.aborted);
  }

  /**
   * While Redis remembers what Postgres has lost, its winners are submitted to Postgres first; that is when the
   * reminder mends.
   */
  private get mayMend(): boolean {
    return !this.own.isForeign && !this.own.isAhead;
  }

  /** Returns whether anything had to be mended, and was. */
  private async mendSome(stopping?: AbortSignal): Promise<boolean> {
    const activities = await this.activities.active(this.lookedAt, LOOKED_AT_MAX);
    this.lookedAt = activities.length < LOOKED_AT_MAX ? '0' : activities.at(-1)!.id;
    const nowMs = await this.standings.nowMs();
    const mended = await Promise.all(
      activities
        .filter(({ id }) => !this.troubled.has(id))
        .map((activity) => this.looks.submit(() => this.tryToMend(activity, nowMs, stopping))),
    );
    return mended.includes(true);
  }

  /** What failed is tried again here, one after the other: however many fail, and however slowly, the others do not wait. */
  @Repeats('MendTroubled', 'SWEEP_INTERVAL_MS')
  async mendTroubled(stopping?: AbortSignal): Promise<void> {
    if (this.troubled.size === 0 || !this.mayMend) return;
    const nowMs = await this.standings.nowMs();
    for (const activity of [...this.troubled.values()]) await this.tryToMend(activity, nowMs, stopping);
  }

  private async tryToMend(activity: Looked, nowMs: number, stopping?: AbortSignal): Promise<boolean> {
    if (stopping?.aborted) return false;
    const { id } = activity;
    const mended = await this.attempt(id, () => this.mend(activity, nowMs, stopping));
    if (mended === undefined) this.troubled.set(id, activity);
    else this.troubled.delete(id);
    return mended ?? false;
  }

  /** Returns whether anything had to be mended. What has not begun when this process leaves is left to others. */
  private async mend(activity: Looked, nowMs: number, stopping?: AbortSignal): Promise<boolean> {
    const repair = await this.repairOf(activity, nowMs);
    if (!repair) return false;
    this.mended.inc({ how: repair.how });
    await this.repairs.submit(async () => {
      if (!stopping?.aborted) await repair.work();
    });
    return true;
  }

  /**
   * What should be open in Redis and is not: it is missing or half loaded, its closer did not get to the refund, or its
   * packets do not add up, because Redis has forgotten who took some of them.
   */
  private async repairOf({ id, packetCount, birth }: Looked, nowMs: number): Promise<Repair | undefined> {
    const standing = await this.standings.of(id);
    const { status, packetsLeft, held } = standing;
    if (status === 'newer') return undefined;
    if (status !== undefined && standing.birth !== birth) return this.replacementOf(id);
    if (status === 'closed' || status === 'closing')
      return { how: 'closed', work: () => this.close(id, 'any-time') };
    if (status === 'loading') return { how: 'loaded', work: () => this.loader.load(id) };
    if (status === undefined) return { how: 'loaded', work: () => this.loader.restore(id) };
    if (packetsLeft + held !== packetCount) return this.repairOfPackets(id);
    await this.news.tellOpen(id, standing, nowMs);
    return undefined;
  }

  private replacementOf(id: string): Repair {
    const work = () => {
      this.logger.warn(`Activity ${id}: what Redis holds is another activity of the same id.`);
      return this.loader.restore(id);
    };
    return { how: 'rebuilt', work };
  }

  /**
   * Packets do not add up, or some were added after their number was read. It is read again, after Redis: what is added is
   * in Postgres first, so that now Redis cannot have more.
   */
  private async repairOfPackets(id: string): Promise<Repair | undefined> {
    const { packetsLeft, held, packetCursor } = await this.standings.of(id);
    const activity = await this.activities.find(id);
    if (activity?.status !== 'active' || packetsLeft + held === activity.packetCount) return undefined;
    if (packetCursor < activity.packetCount) return { how: 'extended', work: () => this.loader.extend(id) };
    const work = () => {
      this.logger.warn(
        `Activity ${id}: ${packetsLeft} left and ${held} held are not ${activity.packetCount} packets.`,
      );
      return this.loader.rebuild(id);
    };
    return { how: 'rebuilt', work };
  }

  /**
   * Closes what is over, and what somebody has decided to end but may not have finished. All of it, page after page:
   * however many fail, none of the others waits for them.
   */
  @Repeats('CloseDue', 'SWEEP_INTERVAL_MS')
  async closeDue(stopping?: AbortSignal): Promise<void> {
    if (this.own.isForeign) return;
    const now = new Date(await this.standings.nowMs());
    for (let page: string[] | undefined; page === undefined || page.length === CLOSED_PER_PAGE;) {
      if (stopping?.aborted) return;
      page = await this.activities.toEnd(now, page?.at(-1) ?? '0', CLOSED_PER_PAGE);
      const ids = page.values();
      await Promise.all(Array.from({ length: CLOSED_AT_ONCE }, () => this.closeSome(ids, stopping)));
    }
  }

  private async closeSome(ids: Iterable<string>, stopping?: AbortSignal): Promise<void> {
    for (const id of ids) {
      if (stopping?.aborted) return;
      await this.attempt(id, () => this.closeOwn(id));
    }
  }

  private async closeOwn(id: string): Promise<void> {
    const { status } = await this.standings.of(id);
    if (this.newer.mayTouch({ id, status })) await this.close(id, 'after-closing');
  }

  private async close(id: string, when: CloseWhen): Promise<void> {
    const activity = await this.activities.find(id);
    if (activity) await this.closing.close(activity, when);
  }

  /** One activity that makes trouble must not keep the others waiting. Undefined when it does. */
  private async attempt<T>(id: string, work: () => Promise<T>): Promise<T | undefined> {
    return work().catch((error: unknown) => {
      this.logger.error(`Activity ${id}: ${String(error)}`);
      return undefined;
    });
  }
}

interface Repair {
  readonly how: string;
  readonly work: () => Promise<void>;
}

type Looked = Awaited<ReturnType<ActivityRepository['active']>>[number];

/** Runs what it is given in the order in which it comes, and at most this many at a time. */
const fewAtATime = <T>(concurrencyMax: number): Batcher<() => Promise<T>, T> =>
  new Batcher({ run: ([work]) => work!().then((result) => [result]), sizeMax: 1, concurrencyMax });
