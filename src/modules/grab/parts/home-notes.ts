import { Injectable } from '@nestjs/common';
import {
  homeAmong,
  type Packet,
  type Place,
  type Reservation,
  Reservations,
} from '../../../../libs/redis-scripts';
import { ActivityRepository, type PartOf } from '../../activity';
import type { Assignment } from '../assignment-news';

/** Notes in the home parts of users that they have won in another part, so that they are led there. */
@Injectable()
export class HomeNotes {
  constructor(
    private readonly reservations: Reservations,
    private readonly activities: ActivityRepository,
  ) {}

  /**
   * Redis had forgotten that a user has this packet, at home or where the packet lies. Returns false, and does nothing, when it lies
   * where the reservation was made.
   */
  async noteElsewhere(
    { activityId, userId, shard }: Reservation,
    { part, parts }: PartOf,
    packet: Packet,
  ): Promise<boolean> {
    const places = this.reservations.keys.placesOf({ id: activityId, parts });
    const place = places[part]!;
    if (place.shard === shard) return false;
    await this.noteAtHome(places, userId, place);
    await this.reservations.acknowledge(place.shard, [{ activityId, userId, packet }], []);
    return true;
  }

  /** Users who have waited were given packets of the first part, wherever they begin. */
  async noteAssigned(assignments: readonly Assignment[]): Promise<void> {
    if (assignments.length === 0) return;
    const ids = new Set(assignments.map(({ reservation }) => reservation.activityId));
    const dealt = await this.activities.dealt([...ids]);
    const placesOf = new Map(
      dealt.map((activity) => [activity.id, this.reservations.keys.placesOf(activity)]),
    );
    for (const { reservation } of assignments) {
      const places = placesOf.get(reservation.activityId);
      if (places) await this.noteAtHome(places, reservation.userId, places[0]!);
    }
  }

  private async noteAtHome(places: readonly Place[], userId: string, { part }: Place): Promise<void> {
    const home = homeAmong(places, userId);
    if (home.part !== part) await this.reservations.noteSentOn(home, { userId, part }, 'known');
  }
}
