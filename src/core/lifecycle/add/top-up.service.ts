import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { isStaff } from '../../../../libs/roles';
import { type Caller, IdempotencyService, type IdempotentRequest } from '../../../platform/http';
import { paceView } from '../../activity';
import { AuditLog } from '../../audit';
import { Currencies, type KnownCurrency } from '../../currency';
import { isPending, type PendingDeed, SecondPerson } from '../../second-person';
import { TOP_UP } from '../deeds';
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
    private readonly secondPerson: SecondPerson,
    private readonly idempotency: IdempotencyService,
    private readonly audit: AuditLog,
    private readonly currencies: Currencies,
  ) {
    secondPerson.registerDeed<TopUpBody>({
      ...TOP_UP,
      around: (approver, { subjectId, terms }, transaction) =>
        additions.run(approver, terms.packetCount, transaction, () => subjectId),
      perform: async (tx, approver, { subjectId, terms, sourceId }) => {
        const { id } = await this.perform(tx, approver, subjectId, terms, sourceId);
        return { resultId: id, detail: { topUpId: id } };
      },
    });
  }

  /**
   * Resolves when the packets are added and paid for, and can usually be drawn. If staff spend an
   * amount that needs a second person, it is requested instead.
   *
   * @throws busy, activityNotFound, activityEnded, Problem `request.invalid` naming a field,
   *   insufficientFunds, walletFrozen
   */
  topUp(request: IdempotentRequest, activityId: string, body: TopUpBody): Promise<TopUpDto | PendingDeed> {
    const { caller } = request;
    const write = () =>
      this.idempotency.once(request, async (tx, sourceId) => {
        const perform = () => this.perform(tx, caller, activityId, body, sourceId);
        if (!isStaff(caller.role)) return perform();
        const { totalMinor: amountMinor } = await this.topUps.plan(tx, caller, activityId, body);
        const currency = await this.currencies.named(body);
        const subject = { action: TOP_UP.action, subjectId: activityId, sourceId };
        const wish = { ...subject, currency, amountMinor, terms: body };
        return this.secondPerson.performOrRequest(tx, request, wish, perform);
      });
    return this.additions.run(caller, body.packetCount, write, (answer) =>
      isPending(answer) ? undefined : activityId,
    );
  }

  /**
   * @throws activityNotFound, activityEnded, Problem `request.invalid` naming a field,
   * insufficientFunds, walletFrozen
   */
  private async perform(
    tx: EntityManager,
    caller: Caller,
    activityId: string,
    body: TopUpBody,
    sourceId: string,
  ): Promise<TopUpDto> {
    const added = await this.topUps.add(tx, caller, activityId, body, sourceId);
    const { topUp, activity, terms } = added;
    const { totalMinor: amountMinor, packetCount } = terms;
    const currency = await this.currencies.of(activity.currency);
    const named = this.currencies.unlessDefault(currency);
    const addition = { topUpId: topUp.id, amountMinor, packetCount, currency: named };
    await this.audit.record(tx, caller, topUpDeed(activity, addition, currency));
    await this.additions.announce(activity, activity.packetCount + packetCount);
    return this.view(activityId, added, currency);
  }

  private view(activityId: string, { topUp, terms, pace }: Added, currency: KnownCurrency): TopUpDto {
    return {
      id: topUp.id,
      activityId,
      amount: currency.format(terms.totalMinor),
      currency: currency.code,
      packetCount: terms.packetCount,
      pace: pace && paceView(pace),
      createdAt: topUp.createdAt.toISOString(),
    };
  }
}
