import { Injectable } from '@nestjs/common';
import { aboutDraw, type DrawOutcome, Reservations, Standings } from '../../../../libs/redis-scripts';
import { RedisTrust } from '../../dispenser';
import { type DrawCall, DrawCalls } from './draw-calls';
import { type Drawn, OneShard, type Tap } from './ground';
import { PartDraws } from '../parts/part-draws';
import { WholeRains } from './whole-rains';

/**
 * Draws packets in Redis. The first tap learns from Redis that an activity is dealt over parts;
 * from then on {@link PartDraws} draws from it.
 */
@Injectable()
export class DrawService {
  private readonly grounds: readonly OneShard[];
  private readonly ask: DrawCall<Tap, DrawOutcome>;
  private readonly wholeRains = new WholeRains(this.standings);

  constructor(
    private readonly reservations: Reservations,
    private readonly standings: Standings,
    private readonly dealt: PartDraws,
    calls: DrawCalls,
    trust: RedisTrust,
  ) {
    const { shards } = reservations.keys;
    this.grounds = shards.map((shard) => new OneShard(shard, trust));
    this.ask = calls.shared(
      shards,
      (tap: Tap) => aboutDraw(tap),
      (shard, groups) =>
        reservations.draw(
          shard,
          groups.map(({ tap, userIds }) => ({ ...tap, userIds })),
        ),
    );
  }

  async draw(tap: Tap): Promise<Drawn> {
    const { activityId } = tap;
    const known = this.dealt.knows(activityId) ? await this.dealt.draw(tap) : undefined;
    if (known && known.outcome.kind !== 'not-loaded') return known;
    const shard = this.reservations.keys.shardOf(activityId);
    const outcome = await this.ask(shard, tap);
    if (outcome.kind === 'parts') {
      const isNews = this.dealt.learn(activityId, outcome.parts);
      return known && !isNews ? known : this.dealt.draw(tap);
    }
    if (known) this.dealt.forget(activityId);
    return { outcome, ground: this.grounds[shard]! };
  }

  /** The shards that hold an activity, as far as this process knows. */
  shardsOf(activityId: string): readonly number[] {
    return (
      this.dealt.shardsOf(activityId) ?? this.grounds[this.reservations.keys.shardOf(activityId)]!.shards
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
