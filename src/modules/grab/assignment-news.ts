import { Injectable } from '@nestjs/common';
import { redPacketId } from '../../../libs/red-packet-id';
import type { Packet, Reservation } from '../../../libs/redis-scripts';
import { Currency } from '../../platform/config';
import { NotificationPublisher } from '../notification';

export interface Assignment {
  readonly reservation: Reservation;
  /** As Postgres has confirmed it. */
  readonly packet: Packet;
}

/** Notifies those who have waited that a packet is theirs now. */
@Injectable()
export class AssignmentNews {
  constructor(
    private readonly publisher: NotificationPublisher,
    private readonly currency: Currency,
  ) {}

  /**
   * Called before the journal forgets them, so that a process that finishes the work of a dead one tells them too.
   *
   * @throws when Redis is away
   */
  async tell(assignments: readonly Assignment[]): Promise<void> {
    if (assignments.length === 0) return;
    await this.publisher.publish(
      assignments.map(({ reservation: { activityId, userId, entry }, packet }) => ({
        id: `waitlist.${redPacketId(activityId, packet.no)}.assigned`,
        event: 'waitlist.assigned',
        userId,
        data: {
          activityId,
          redPacketId: redPacketId(activityId, packet.no),
          amount: this.currency.format(packet.amountMinor),
          currency: this.currency.code,
          at: writtenAt(entry!.id),
        },
      })),
    );
  }
}

/** The entries of a stream are named after the millisecond in which Redis wrote them. */
const writtenAt = (entryId: string): string => new Date(Number(entryId.split('-')[0])).toISOString();
