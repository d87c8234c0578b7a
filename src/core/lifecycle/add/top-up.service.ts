import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { isStaff } from '../../../../libs/roles';
import { Currency } from '../../../platform/config';
import { type Caller, IdempotencyService, type IdempotentRequest } from '../../../platform/http';
import { paceView } from '../../activity';
import { type ApprovalDto, ApprovalRequests } from '../../../extensions/approval';
import { AuditLog } from '../../audit';
import { type Added, ActivityTopUp } from './activity-top-up';
import { PacketAdditions } from './packet-additions';
import { topUpDeed } from './top-up-deed';
import type { TopUpBody, TopUpDto } from './top-up.dto';

/**
 * Tops an activity up for a client: {@link ActivityTopUp} writes it, the audit log records it in
 * the same transaction, and {@link PacketAdditions} loads it after the commit.
 */
@Injectable()
export class TopUpService {
  constructor(
    private readonly topUps: ActivityTopUp,
    private readonly additions: PacketAdditions,
    private readonly approvals: ApprovalRequests,
    private readonly idempotency: IdempotencyService,
    private readonly audit: AuditLog,
    private readonly currency: Currency,
  ) {}

  /**
   * Resolves when the packets are added and paid for, and can usually be drawn. If staff spend an
   * amount that needs an approval, that is requested instead.
   *
   * @throws busy, activityNotFound, activityEnded, Problem `request.invalid` naming a field,
   *   insufficientFunds, walletFrozen
   */
  topUp(request: IdempotentRequest, activityId: string, body: TopUpBody): Promise<TopUpDto | ApprovalDto> {
    const { caller } = request;
    const write = () =>
      this.idempotency.once(request, async (tx, sourceId) => {
        const perform = () => this.perform(tx, caller, activityId, body);
        if (!isStaff(caller.role)) return perform();
        const { totalMinor: amountMinor } = await this.topUps.plan(tx, caller, activityId, body);
        const wish = { action: 'activity.top-up', subjectId: activityId, amountMinor, sourceId } as const;
        return this.approvals.doOrAsk(tx, request, { ...wish, terms: body }, perform);
      });
    return this.additions.run(caller, body.packetCount, write, (answer) =>
      'askedBy' in answer ? undefined : activityId,
    );
  }

  /** Runs a transaction that calls `perform`, and loads the new packets after the commit. */
  around<T>(
    caller: Caller,
    activityId: string,
    packetCount: number,
    transaction: () => Promise<T>,
  ): Promise<T> {
    return this.additions.run(caller, packetCount, transaction, () => activityId);
  }

  /**
   * @throws activityNotFound, activityEnded, Problem `request.invalid` naming a field,
   * insufficientFunds, walletFrozen
   */
  async perform(tx: EntityManager, caller: Caller, activityId: string, body: TopUpBody): Promise<TopUpDto> {
    const added = await this.topUps.add(tx, caller, activityId, body);
    const { topUp, activity, terms } = added;
    const { totalMinor: amountMinor, packetCount } = terms;
    const addition = { topUpId: topUp.id, amountMinor, packetCount };
    await this.audit.record(tx, caller, topUpDeed(activity, addition, this.currency));
    await this.additions.announce(activity, activity.packetCount + packetCount);
    return this.view(activityId, added);
  }

  private view(activityId: string, { topUp, terms, pace }: Added): TopUpDto {
    return {
      id: topUp.id,
      activityId,
      amount: this.currency.format(terms.totalMinor),
      currency: this.currency.code,
      packetCount: terms.packetCount,
      pace: pace && paceView(pace),
      createdAt: topUp.createdAt.toISOString(),
    };
  }
}
