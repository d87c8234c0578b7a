import { Injectable, Logger } from '@nestjs/common';
import type { Place } from '../../../libs/redis-scripts';
import { AppConfig } from '../../platform/config';
import { Repeats } from '../../platform/schedule';
import { isDoubted, ShardHistories, type Trust } from '../dispenser';
import { Journal } from '../grab';
import { ActivityReminder } from './activity-reminder';
import { ActivityTidying } from './activity-tidying';
import { loadSlots } from './load-slots';
import { RedisInventory } from './redis-inventory';

/** After this long it checks again whether these are still the same servers, and whether another process was faster. */
const STEP_MS = 1_000;

/**
 * Tells the shards of a server that has restarted, or of a replica that was promoted, all claims, and then vouches for each of
 * them: it may have lost its last moments. A shard waits for no other one, and those on other servers of a cluster are left
 * alone.
 *
 * 1. The shard is told of every activity that it should hold, the running ones first, a few at a time. One that fails is
 *    told again later, and keeps no other waiting. One that has ended and that Redis has lost altogether is left to
 *    Postgres, which answers for it.
 * 2. The journal is decided: a winner who was forgotten may have drawn another packet meanwhile. Those who were told in
 *    step 1 cannot draw any more, so that afterwards a user holds in Redis what is theirs.
 * 3. What Redis was made to forget, and has back because it is hours older, is removed again: it knows neither all
 *    winners of these activities, nor their end.
 * 4. From now on the shard is trusted.
 *
 * When Postgres is not what the shard was told about, because it has lost commits in a failover or was restored, step 1 covers
 * every activity that Redis knows, and goes both ways ({@link ActivityReminder.resubmit}).
 */
@Injectable()
export class RedisReminder {
  private readonly logger = new Logger('RedisReminder');
  /** The shards that are being told, with what was known of them before. */
  private readonly begun = new Map<number, Trust>();
  /** The next one last. */
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

  /** Tells for about a second, and vouches for what has been told; does nothing while every shard is trusted. */
  @Repeats('RedisReminder', 'SWEEP_INTERVAL_MS')
  async step(): Promise<void> {
    if (this.histories.isOfOthers) return;
    const doubted = (await this.histories.look()).filter(isDoubted);
    if (doubted.some(({ mark }) => mark === undefined)) return;
    this.keepOnly(doubted);
    const fresh = doubted.filter(({ notes }) => !this.begun.has(notes.shard));
    for (const isSameHistory of [true, false])
      await this.begin(fresh.filter((trust) => trust.isSameHistory === isSameHistory));
    await this.remindSome();
    await this.finish();
  }

  /** What was begun with a shard that is trusted by now, is away, or has come to another server, is worth nothing. */
  private keepOnly(doubted: readonly Trust[]): void {
    const now = new Map(doubted.map((trust) => [trust.notes.shard, trust]));
    for (const [shard, trust] of this.begun) if (!isSame(trust, now.get(shard))) this.begun.delete(shard);
    this.waiting = this.waiting.filter(({ shard }) => this.begun.has(shard));
  }

  /** Shards that were all told the same history, or were not. */
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

  /** The shards of which everything has been told. Whether they are vouched for or not, the next time all is told again. */
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

/** Whether a shard is still on the same server, and Postgres in the same history, which has not gone back. */
const isSame = (begun: Trust, now: Trust | undefined): boolean =>
  begun.notes.serverId === now?.notes.serverId &&
  begun.mark!.history === now.mark!.history &&
  begun.mark!.flushed <= now.mark!.flushed;
