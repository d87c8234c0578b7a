import { Injectable, Logger } from '@nestjs/common';
import type { Place } from '../../../../libs/redis-scripts';
import { AppConfig } from '../../../platform/config';
import { Repeats } from '../../../platform/schedule';
import { isDoubted, ShardHistories, type Trust } from '../../dispenser';
import { Journal } from '../../grab';
import { ActivityReminder } from './activity-reminder';
import { ActivityTidying } from '../tidy/activity-tidying';
import { loadSlots } from '../restore/load-slots';
import { RedisInventory } from './redis-inventory';

/**
 * Milliseconds of work before it checks again whether these are still the same servers, and whether
 * another process was faster.
 */
const STEP_MS = 1_000;

/**
 * Gives all claims to the shards of a server that has restarted, or of a replica that was promoted,
 * because it may have lost its last moments; then it vouches for each of them. Shards do not wait
 * for each other.
 *
 * 1. The shard receives every activity that it should hold, the running ones first, a few at a
 *   time. One that fails is repeated later. An ended activity that Redis has lost is left to
 *   Postgres.
 * 2. The journal is decided: a winner who was forgotten may have drawn another packet meanwhile.
 *   Users whose claims were written in step 1 cannot draw any more, so that afterwards a user holds
 *   in Redis exactly their own packet.
 * 3. Activities that Redis was made to forget, and has again because it went back by hours, are removed
 *    again: Redis knows neither all their winners, nor their end.
 * 4. From now on the shard is trusted.
 *
 * If Postgres no longer has the history that the shard was given, because it has lost commits in a
 * failover or was restored, step 1 covers every activity that Redis knows, and goes both ways
 * ({@link ActivityReminder.resubmit}).
 */
@Injectable()
export class RedisReminder {
  private readonly logger = new Logger('RedisReminder');
  /** The shards under way, each with the trust in it at the beginning. */
  private readonly begun = new Map<number, Trust>();
  /** The places still to do; the next is at the end. */
  private waiting: Place[] = [];
  private readonly atOnceMax: number;

  constructor(
    private readonly inventory: RedisInventory,
    private readonly activities: ActivityReminder,
    private readonly tidying: ActivityTidying,
    private readonly journal: Journal,
    private readonly histories: ShardHistories,
    config: AppConfig,
  ) {
    this.atOnceMax = loadSlots(config);
  }

  /** Works for about a second. Does nothing while every shard is trusted. */
  @Repeats('RedisReminder', 'SWEEP_INTERVAL_MS')
  async step(): Promise<void> {
    if (this.histories.isOfOthers) return;
    const doubted = (await this.histories.judgeShards()).filter(isDoubted);
    if (doubted.some(({ mark }) => mark === undefined)) return;
    this.keepOnly(doubted);
    const fresh = doubted.filter(({ notes }) => !this.begun.has(notes.shard));
    for (const isSameHistory of [true, false])
      await this.begin(fresh.filter((trust) => trust.isSameHistory === isSameHistory));
    await this.remindSome();
    await this.finish();
  }

  /** Drops the work on shards that are trusted by now, are down, or have moved to another server. */
  private keepOnly(doubted: readonly Trust[]): void {
    const now = new Map(doubted.map((trust) => [trust.notes.shard, trust]));
    for (const [shard, trust] of this.begun) if (!isSame(trust, now.get(shard))) this.begun.delete(shard);
    this.waiting = this.waiting.filter(({ shard }) => this.begun.has(shard));
  }

  /** Begins with shards that all have the history of Postgres, or all lack it. */
  private async begin(trusts: readonly Trust[]): Promise<void> {
    if (trusts.length === 0) return;
    const held = await this.inventory.list(trusts.map(shardOf), trusts[0]!.isSameHistory);
    this.waiting = [...held.reverse(), ...this.waiting];
    for (const trust of trusts) this.begun.set(shardOf(trust), trust);
  }

  private async remindSome(): Promise<void> {
    const failed: Place[] = [];
    const until = performance.now() + STEP_MS;
    const remindOneByOne = async () => {
      while (this.waiting.length > 0 && performance.now() < until) {
        const next = this.waiting.pop()!;
        await this.remind(next).catch((error: unknown) => {
          this.logger.error(`Activity ${next.id}: ${String(error)}`);
          failed.push(next);
        });
      }
    };
    await Promise.all(Array.from({ length: this.atOnceMax }, remindOneByOne));
    this.waiting = [...failed, ...this.waiting];
  }

  private remind(place: Place): Promise<void> {
    return this.begun.get(place.shard)!.isSameHistory
      ? this.activities.remind(place)
      : this.activities.resubmit(place);
  }

  /** Vouches for the shards that have received everything; next time everything is repeated. */
  private async finish(): Promise<void> {
    const unfinished = new Set(this.waiting.map(({ shard }) => shard));
    const told = [...this.begun.values()].filter((trust) => !unfinished.has(shardOf(trust)));
    const decided: Trust[] = [];
    for (const trust of told) if (await this.decide(shardOf(trust))) decided.push(trust);
    if (decided.length === 0) return;
    await this.tidying.removeForgotten(decided.map(shardOf));
    const vouched = await this.histories.vouch(decided);
    for (const trust of decided) this.begun.delete(shardOf(trust));
    if (vouched.length > 0) this.logger.log(`${vouched.length} shards have been told all claims.`);
  }

  private decide(shard: number): Promise<boolean> {
    return this.journal.decideAll(shard).then(
      () => true,
      (error: unknown) => {
        this.logger.error(`Shard ${shard}: ${String(error)}`);
        return false;
      },
    );
  }
}

const shardOf = ({ notes }: Trust): number => notes.shard;

/** True for the same server and the same history of Postgres, which has not gone back. */
const isSame = (begun: Trust, now: Trust | undefined): boolean =>
  begun.notes.serverId === now?.notes.serverId &&
  begun.mark!.history === now.mark!.history &&
  begun.mark!.flushed <= now.mark!.flushed;
