import { Injectable } from '@nestjs/common';
import {
  isHeldSince,
  type Place,
  type Reservation,
  WaitingLists,
  type WaitingUser,
} from '../../../libs/redis-scripts';
import { PartDraws, PartLengths } from '../../core/grab';

/**
 * Finds packets in other parts for users who wait: the list serves only part 0, and a packet that
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

  /** Draws for the users who have waited longest, at most `countMax`; for none in a rain of one part. */
  async draw(activityId: string, countMax: number): Promise<Reservation[]> {
    const { users, parts } = await this.waitingLists.first(activityId, countMax);
    if (parts === 1 || users.length === 0) return [];
    const places = this.waitingLists.keys.placesOf({ id: activityId, parts });
    const waiting = await this.withoutHolders(places, users);
    const free = await this.lengths.outsideFirst(places);
    const drawn = await Promise.all(
      waiting.slice(0, free).map((user) => this.drawFor(user, activityId, places)),
    );
    return drawn.flat();
  }

  /**
   * Users who have won by a tap in another part are still on the list. They leave it once their
   * packet is confirmed: until then it may be refused.
   */
  private async withoutHolders(
    places: readonly Place[],
    users: readonly WaitingUser[],
  ): Promise<WaitingUser[]> {
    const held = await this.waitingLists.held(
      places,
      users.map(({ userId }) => userId),
    );
    const winners = [...held.keys()].filter((userId) => held.get(userId)!.confirmed);
    if (winners.length > 0) await this.waitingLists.leave(places[0]!.id, winners);
    return users.filter(({ userId }) => !held.has(userId));
  }

  /** If others were faster to take the packet, the next run looks for another. */
  private async drawFor(
    { userId, waitedSince }: WaitingUser,
    activityId: string,
    places: readonly Place[],
  ): Promise<Reservation[]> {
    const hold = isHeldSince(waitedSince);
    const tap = { activityId, userId, waitedSince, hold };
    const drawn = await this.draws.drawFrom(places, tap).catch(() => undefined);
    if (drawn?.outcome.kind !== 'won') return [];
    const { packet, entry } = drawn.outcome;
    return [{ activityId, userId, packet, shard: drawn.source.shard, entry, waitedSince, hold }];
  }
}
