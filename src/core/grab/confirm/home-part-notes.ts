import { Injectable } from '@nestjs/common';
import {
  homeAmong,
  type Packet,
  type Place,
  type Reservation,
  Reservations,
} from '../../../../libs/redis-scripts';
import { ActivityRepository, type PartOf } from '../../activity';
import type { Assignment } from './assignment-news';

/** Leads the taps of users who have won in another part there, by notes in their home parts. */
@Injectable()
export class HomePartNotes {
  constructor(
    private readonly reservations: Reservations,
    private readonly activities: ActivityRepository,
  ) {}

  /**
   * Notes a packet of this user that Redis had forgotten, at home or where it lies. Returns false,
   * and does nothing, if it lies where the reservation was made.
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

  /** Users who have waited may hold a packet in any part; most hold one in the first. */
  async noteAssigned(assignments: readonly Assignment[]): Promise<void> {
    if (assignments.length === 0) return;
    const ids = new Set(assignments.map(({ reservation }) => reservation.activityId));
    const dealt = await this.activities.dealt([...ids]);
    const placesOf = new Map(
      dealt.map((activity) => [activity.id, this.reservations.keys.placesOf(activity)]),
    );
    for (const { reservation } of assignments) {
      const places = placesOf.get(reservation.activityId);
      const place = places?.find(({ shard }) => shard === reservation.shard);
      if (place) await this.noteAtHome(places!, reservation.userId, place);
    }
  }

  private async noteAtHome(places: readonly Place[], userId: string, { part }: Place): Promise<void> {
    const home = homeAmong(places, userId);
    if (home.part !== part) await this.reservations.noteSentOn(home, { userId, part }, 'known');
  }
}
