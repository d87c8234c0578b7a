import { Injectable } from '@nestjs/common';
import { Currency } from '../../../platform/config';
import { type Caller, IdempotencyService, type IdempotentRequest } from '../../../platform/http';
import { AuditLog } from '../../audit';
import { type Added, ActivityTopUp } from './activity-top-up';
import { PacketAdditions } from './packet-additions';
import { topUpDeed } from './top-up-deed';
import type { TopUpBody, TopUpDto } from './top-up.dto';

/**
 * Tops an activity up for a client, once for each idempotency key. {@link ActivityTopUp} writes it,
 * the audit log records it in the same transaction, and {@link PacketAdditions} loads it after the
 * commit.
 */
@Injectable()
export class TopUpService {
  constructor(
    private readonly topUps: ActivityTopUp,
    private readonly additions: PacketAdditions,
    private readonly idempotency: IdempotencyService,
    private readonly audit: AuditLog,
    private readonly currency: Currency,
  ) {}

  /**
   * Resolves when the packets are added and paid for, and can usually be drawn.
   *
   * @throws busy, activityNotFound, activityEnded, Problem `request.invalid` naming a field,
   * insufficientFunds, walletFrozen
   */
  topUp(request: IdempotentRequest, caller: Caller, activityId: string, body: TopUpBody): Promise<TopUpDto> {
    const write = () =>
      this.idempotency.once(request, async (tx) => {
        const added = await this.topUps.add(tx, caller, activityId, body);
        const { topUp, activity, terms } = added;
        const { totalMinor: amountMinor, packetCount } = terms;
        const addition = { topUpId: topUp.id, amountMinor, packetCount };
        await this.audit.record(tx, caller, topUpDeed(activity, addition, this.currency));
        await this.additions.announce(activity, activity.packetCount + packetCount);
        return this.view(activityId, added);
      });
    return this.additions.run(body.packetCount, write, () => activityId);
  }

  private view(activityId: string, { topUp, terms }: Added): TopUpDto {
    return {
      id: topUp.id,
      activityId,
      amount: this.currency.format(terms.totalMinor),
      currency: this.currency.code,
      packetCount: terms.packetCount,
      createdAt: topUp.createdAt.toISOString(),
    };
  }
}
