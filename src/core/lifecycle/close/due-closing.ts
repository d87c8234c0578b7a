import { Injectable, Logger } from '@nestjs/common';
import { OwnRedis, Standings } from '../../../../libs/redis-scripts';
import { Repeats } from '../../../platform/schedule';
import { type Activity, ActivityRepository, isNewer } from '../../activity';
import { NewerActivities } from '../../recovery';
import { ActivityClosing } from './activity-closing';
import { ClosingRepository } from './closing.repository';

const CLOSED_PER_PAGE = 100;
const CLOSED_AT_ONCE = 4;

/** The rows of activities whose packets are summed up are locked meanwhile. */
const PACKETS_TOGETHER_MAX = 200_000;

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
   * finished. It takes all of them, page after page: however many fail, the others do not wait. Money comes first: Redis
   * is tidied up only while no activity waits for its refund.
   */
  @Repeats('CloseDue', 'SWEEP_INTERVAL_MS')
  async closeDue(stopping?: AbortSignal): Promise<void> {
    if (this.own.isForeign) return;
    const tried = new Set<string>();
    const untidied: string[] = [];
    do {
      untidied.push(...(await this.refundDue(tried, stopping)));
      await this.each(
        untidied.splice(0, CLOSED_PER_PAGE),
        (id) => this.closing.tidyUpOrLeave({ id }),
        stopping,
      );
    } while (untidied.length > 0 && !stopping?.aborted);
  }

  /** Returns the activities that still have to be tidied up. An activity in trouble is tried once per sweep. */
  private async refundDue(tried: Set<string>, stopping?: AbortSignal): Promise<string[]> {
    const untidied: string[] = [];
    for (let page: string[] | undefined; page === undefined || page.length === CLOSED_PER_PAGE;) {
      if (stopping?.aborted) break;
      page = await this.closings.toEnd(page?.at(-1) ?? '0', CLOSED_PER_PAGE);
      const due = page.filter((id) => !tried.has(id));
      for (const id of due) tried.add(id);
      untidied.push(...(await this.refundPage(due, stopping)));
    }
    return untidied;
  }

  /**
   * An activity that cannot be refunded with others is closed by itself, so that one in trouble does not hold
   * up the others.
   */
  private async refundPage(ids: readonly string[], stopping?: AbortSignal): Promise<string[]> {
    if (ids.length === 0) return [];
    const refunded = await this.refundTogether(await this.dueAmong(ids));
    const left = new Set(ids);
    for (const id of refunded) left.delete(id);
    await this.each([...left], (id) => this.close(id), stopping);
    return refunded;
  }

  /** After a failure, perhaps of a shard, the activities of each shard are refunded together. */
  private async refundTogether(activities: readonly Activity[]): Promise<string[]> {
    try {
      return await this.closing.refundTogether(activities);
    } catch (error) {
      const shards = new Map<number, Activity[]>();
      for (const activity of activities) {
        const { shard } = this.standings.keys.placeOf(activity.id);
        shards.set(shard, [...(shards.get(shard) ?? []), activity]);
      }
      if (shards.size < 2) {
        this.logger.warn(`${activities.length} activities are closed one by one: ${String(error)}`);
        return [];
      }
      const refunded: string[] = [];
      for (const ofShard of shards.values()) refunded.push(...(await this.refundTogether(ofShard)));
      return refunded;
    }
  }

  private async each(
    ids: readonly string[],
    work: (id: string) => Promise<unknown>,
    stopping?: AbortSignal,
  ): Promise<void> {
    const left = ids.values();
    const lane = async (): Promise<void> => {
      for (const id of left) {
        if (stopping?.aborted) return;
        await work(id).catch((error: unknown) => this.logger.error(`Activity ${id}: ${String(error)}`));
      }
    };
    await Promise.all(Array.from({ length: CLOSED_AT_ONCE }, lane));
  }

  /** Returns the activities that can be refunded together, as many as one statement can quickly sum up. */
  private async dueAmong(ids: readonly string[]): Promise<Activity[]> {
    const activities = await this.activities.list({ ids, withPlayMoney: true }, undefined, ids.length);
    let packets = 0;
    const summed = activities.filter(
      (activity) =>
        activity.parts === 1 &&
        !isNewer(activity) &&
        (packets += activity.packetCount) <= PACKETS_TOGETHER_MAX,
    );
    const standings = await this.standings.at(summed.map(({ id }) => this.standings.keys.placeOf(id)));
    return summed.filter((activity, i) => {
      const { status, nowMs } = standings[i] ?? {};
      if (nowMs === undefined) return false;
      return this.newer.mayTouch({ id: activity.id, status: status! }) && isDue(activity, nowMs);
    });
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
