import { Injectable } from '@nestjs/common';
import { redPacketId } from '../../../../libs/red-packet-id';
import type { Packet, Reservation } from '../../../../libs/redis-scripts';
import { Currencies, type KnownCurrency } from '../../currency';
import { NewsListeners, type NewsOfPacket } from '../../news';

export interface Assignment {
  readonly reservation: Reservation;
  /** As Postgres has confirmed it. */
  readonly packet: Packet;
}

/** Notifies users of the waiting list that a packet is theirs now. */
@Injectable()
export class AssignmentNews {
  constructor(
    private readonly listeners: NewsListeners,
    private readonly currencies: Currencies,
  ) {}

  /**
   * Runs before the journal forgets the entries, so that another process that finishes them later notifies the users too.
   * @throws if Redis is down
   */
  async publish(assignments: readonly Assignment[]): Promise<void> {
    if (assignments.length === 0) return;
    const currencies = await Promise.all(
      assignments.map(({ reservation }) => this.currencies.ofActivity(reservation.activityId)),
    );
    await this.listeners.publish(() =>
      assignments.map((assignment, i) => this.newsOf(assignment, currencies[i]!)),
    );
  }

  private newsOf(
    { reservation: { activityId, userId, entry }, packet }: Assignment,
    currency: KnownCurrency,
  ): NewsOfPacket {
    return {
      id: `waitlist.${redPacketId(activityId, packet.no)}.assigned`,
      event: 'waitlist.assigned',
      userId,
      data: {
        activityId,
        redPacketId: redPacketId(activityId, packet.no),
        amount: currency.format(packet.amountMinor),
        currency: currency.code,
        at: writtenAt(entry!.id),
      },
    };
  }
}

/** The id of an entry of a stream begins with the millisecond in which Redis wrote it. */
const writtenAt = (entryId: string): string => new Date(Number(entryId.split('-')[0])).toISOString();
