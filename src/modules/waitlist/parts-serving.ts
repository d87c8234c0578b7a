import { Injectable } from '@nestjs/common';
import { isHeldSince, type Reservation, WaitingLists, type WaitingUser } from '../../../libs/redis-scripts';
import { PartDraws, PartLengths } from '../grab';

/**
 * Finds packets in other parts for users who wait: the list serves part 0 alone, and a packet that
 * comes back stays in its part. It draws as a tap of the user would, so their next tap ends where
 * the packet is.
 */
@Injectable()
export class PartsServing {
  constructor(
    private readonly waitingLists: WaitingLists,
    private readonly draws: PartDraws,
    private readonly lengths: PartLengths,
  ) {}

  /** For at most `countMax` of those who have waited longest; none in a rain of one part. */
  async draw(activityId: string, countMax: number): Promise<Reservation[]> {
    const { users, parts } = await this.waitingLists.first(activityId, countMax);
    if (parts === 1 || users.length === 0) return [];
    const free = await this.lengths.free(this.waitingLists.keys.placesOf({ id: activityId, parts }));
    if (free <= 0) return [];
    this.draws.learn(activityId, parts);
    const drawn = await Promise.all(users.slice(0, free).map((user) => this.drawFor(activityId, user)));
    return drawn.flat();
  }

  /** A packet that others were faster to take is looked for again at the next look. */
  private async drawFor(activityId: string, { userId, waitedSince }: WaitingUser): Promise<Reservation[]> {
    const hold = isHeldSince(waitedSince);
    const tap = { activityId, userId, waitedSince, hold, mayLimit: true };
    const drawn = await this.draws.draw(tap).catch(() => undefined);
    if (drawn?.outcome.kind === 'already' && drawn.outcome.packet.confirmed)
      await this.waitingLists.leave(activityId, [userId]);
    if (drawn?.outcome.kind !== 'won') return [];
    const { packet, entry } = drawn.outcome;
    return [{ activityId, userId, packet, shard: drawn.ground.shard, entry, waitedSince, hold }];
  }
}
