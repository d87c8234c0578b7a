import { Injectable } from '@nestjs/common';
import { Batcher } from '../../../../libs/batching';
import { failpoint } from '../../../../libs/failpoint';
import { aboutDraw, type DrawOutcome, Reservations, Standings } from '../../../../libs/redis-scripts';
import { ENDINGS, Metrics, timed } from '../../../platform/telemetry';
import { RedisTrust } from '../../dispenser';
import { type DrawResult, SingleShard, type Tap } from './draw-result';
import { groupsOf } from './groups';
import { WholeRains } from './whole-rains';

/** Users in one script call: a longer one keeps all other clients of Redis waiting longer. */
const USERS_PER_CALL_MAX = 256;
const CALLS_IN_FLIGHT_MAX = 64;

/** Taps of one call that ask for the same thing. */
export interface TapGroup<T extends Tap> {
  readonly tap: T;
  readonly userIds: string[];
}

export type DrawCall<T extends Tap, R> = (shard: number, tap: T) => Promise<R>;

/** Draws from activities that are dealt over several shards, and remembers which they are. */
export interface DealtDraws {
  knows(activityId: string): boolean;
  /** Undefined for an activity that it does not know. */
  shardsOf(activityId: string): readonly number[] | undefined;
  /** Draws from an activity that it knows. */
  draw(tap: Tap): Promise<DrawResult>;
  /** Draws from an activity of which Redis says over how many parts it is dealt. */
  learnAndDraw(tap: Tap, parts: number): Promise<DrawResult>;
}

/**
 * Draws packets in Redis. Taps of one turn of the event loop at one shard share a script call: one
 * round trip, one look at the window, and one journal entry.
 */
@Injectable()
export class DrawService {
  readonly sources: readonly SingleShard[];
  readonly drawFromShard: DrawCall<Tap, DrawOutcome>;
  private readonly wholeRains = new WholeRains(this.standings);
  private readonly times;
  private dealtDraws?: DealtDraws;

  constructor(
    private readonly reservations: Reservations,
    private readonly standings: Standings,
    trust: RedisTrust,
    metrics: Metrics,
  ) {
    this.times = metrics.timings({
      name: 'hongbao_draw_duration_seconds',
      help: 'How long one script call in Redis took, which draws for all taps of one moment and shard',
      label: 'result',
      values: ENDINGS,
    });
    this.sources = reservations.keys.shards.map((shard) => new SingleShard(shard, trust));
    this.drawFromShard = this.sharedCalls(
      (tap) => aboutDraw(tap),
      (shard, groups) =>
        reservations.draw(
          shard,
          groups.map(({ tap, userIds }) => ({ ...tap, userIds })),
        ),
    );
  }

  draw(tap: Tap): Promise<DrawResult> {
    return this.dealtDraws?.knows(tap.activityId) ? this.dealtDraws.draw(tap) : this.drawUndealt(tap);
  }

  private async drawUndealt(tap: Tap): Promise<DrawResult> {
    const shard = this.reservations.keys.shardOf(tap.activityId);
    const outcome = await this.drawFromShard(shard, tap);
    if (outcome.kind === 'parts') return this.dealtDraws!.learnAndDraw(tap, outcome.parts);
    return { outcome, source: this.sources[shard]! };
  }

  drawDealtBy(dealtDraws: DealtDraws): void {
    this.dealtDraws = dealtDraws;
  }

  /** @param run draws for all groups of a call; `keyOf` says which taps belong to one group */
  sharedCalls<T extends Tap, R>(
    keyOf: (tap: T) => string,
    run: (shard: number, groups: TapGroup<T>[]) => Promise<R[]>,
  ): DrawCall<T, R> {
    const batchers = this.reservations.keys.shards.map(
      (shard) =>
        new Batcher<T, R>({
          run: (taps) => this.runCall(taps, keyOf, (groups) => run(shard, groups)),
          sizeMax: USERS_PER_CALL_MAX,
          concurrencyMax: CALLS_IN_FLIGHT_MAX,
        }),
    );
    return (shard, tap) => batchers[shard]!.submit(tap);
  }

  private async runCall<T extends Tap, R>(
    taps: readonly T[],
    keyOf: (tap: T) => string,
    run: (groups: TapGroup<T>[]) => Promise<R[]>,
  ): Promise<R[]> {
    const { groups, positions } = groupsOf(taps, keyOf);
    const calls = groups.map((group) => ({ tap: group[0]!, userIds: group.map(({ userId }) => userId) }));
    const outcomes = await timed(this.times, () => run(calls));
    await failpoint('grab.after-draw');
    return positions.map((position) => outcomes[position]!);
  }

  /** The shards that hold an activity, as far as this process knows. */
  shardsOf(activityId: string): readonly number[] {
    return (
      this.dealtDraws?.shardsOf(activityId) ??
      this.sources[this.reservations.keys.shardOf(activityId)]!.shards
    );
  }

  /** False if Redis has lost a key of an activity. */
  isWhole(activityId: string): boolean | Promise<boolean> {
    return this.wholeRains.has({ id: activityId, parts: this.shardsOf(activityId).length });
  }

  /** The number of the last packet of an activity that Redis was given. */
  async lastLoaded(activityId: string): Promise<number> {
    const parts = this.shardsOf(activityId).length;
    return (await this.standings.whole({ id: activityId, parts })).packetCursor;
  }
}
