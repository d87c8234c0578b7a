import { Injectable } from '@nestjs/common';
import { redPacketId } from '../../../libs/red-packet-id';
import { Currency } from '../../platform/config';
import { type Notification, NotificationPublisher } from '../notification';
import { type NewsOfClaim, SettlementRepository } from './settlement.repository';
import type { SettlementResult } from './settlement.service';

/** Notifies winners that their packet is theirs and that its money has come. */
@Injectable()
export class SettlementNews {
  constructor(
    private readonly settlements: SettlementRepository,
    private readonly publisher: NotificationPublisher,
    private readonly currency: Currency,
  ) {}

  /**
   * Called after a batch was settled, by the process that settled it: a job that runs again says the same again, which
   * is heard once. It then knows no longer which activities the claims are of.
   *
   * @throws when Postgres or Redis is away
   */
  async tell(claimIds: readonly string[], { paid, buried, activities }: SettlementResult): Promise<void> {
    if (!(await this.publisher.anybodyListens('packet.confirmed', 'wallet.credited'))) return;
    const isWhole = paid + buried === claimIds.length;
    const claims = await this.settlements.newsOf(claimIds, isWhole ? activities : undefined);
    await this.publisher.publish(claims.flatMap((claim) => this.notificationsOf(claim)));
  }

  private notificationsOf(claim: NewsOfClaim): Notification[] {
    const { id, activityId, packetNo, userId, amountMinor, confirmedAt, creditedAt } = claim;
    const about = {
      activityId,
      redPacketId: redPacketId(activityId, packetNo),
      amount: this.currency.format(BigInt(amountMinor)),
      currency: this.currency.code,
    };
    const confirmed: Notification = {
      id: `claim.${id}.confirmed`,
      event: 'packet.confirmed',
      userId,
      data: { ...about, at: confirmedAt.toISOString() },
    };
    if (creditedAt === null) return [confirmed];
    const data = { ...about, at: creditedAt.toISOString() };
    return [confirmed, { id: `claim.${id}.credited`, event: 'wallet.credited', userId, data }];
  }
}
