import { Injectable } from '@nestjs/common';
import { homeOf, type Packet, type Reservation, Reservations } from '../../../libs/redis-scripts';
import { ActivityRepository, type PartOf } from '../activity';
import type { Assignment } from './assignment-news';

/** A claim that lies in another part than a reservation of the same user. */
interface OtherClaim extends PartOf {
  readonly packet: Packet;
}

/** Sees to it that what users have won away from their home part is found from there. */
@Injectable()
export class AwayWins {
  constructor(
    private readonly reservations: Reservations,
    private readonly activities: ActivityRepository,
  ) {}

  /** Redis had forgotten, at home or where the claim is, that the user has it. */
  async note({ activityId, userId }: Reservation, { part, parts, packet }: OtherClaim): Promise<void> {
    await this.noteAtHome(activityId, userId, { part, parts });
    const shard = this.reservations.keys.shardOf(activityId, part);
    await this.reservations.acknowledge(shard, [{ activityId, userId, packet, part }], []);
  }

  /** Users who have waited were given packets of part 0, wherever they begin. */
  async noteAssigned(assignments: readonly Assignment[]): Promise<void> {
    const ofParts = assignments.filter(({ reservation }) => reservation.part !== undefined);
    if (ofParts.length === 0) return;
    const ids = new Set(ofParts.map(({ reservation }) => reservation.activityId));
    const parts = new Map((await this.activities.dealt([...ids])).map((dealt) => [dealt.id, dealt.parts]));
    for (const { reservation } of ofParts) {
      const { activityId, userId, part = 0 } = reservation;
      await this.noteAtHome(activityId, userId, { part, parts: parts.get(activityId) ?? 1 });
    }
  }

  private async noteAtHome(activityId: string, userId: string, { part, parts }: PartOf): Promise<void> {
    const home = homeOf(activityId, userId, parts);
    if (home !== part) await this.reservations.noteAway(activityId, home, { userId, part }, 'known');
  }
}
