import { Injectable } from '@nestjs/common';
import { Currency } from '../../../platform/config';
import { type Caller, IdempotencyService, type IdempotentRequest } from '../../../platform/http';
import { type Added, ActivityTopUp } from './activity-top-up';
import { Additions } from './additions';
import { LargeWrites } from '../large-writes';
import type { TopUpBody, TopUpDto } from './top-up.dto';

@Injectable()
export class TopUpService {
  constructor(
    private readonly topUps: ActivityTopUp,
    private readonly additions: Additions,
    private readonly large: LargeWrites,
    private readonly idempotency: IdempotencyService,
    private readonly currency: Currency,
  ) {}

  /**
   * Added and paid for when this returns, and as a rule ready to be drawn.
   *
   * @throws busy, activityNotFound, activityEnded, Problem `request.invalid` naming a field, insufficientFunds, walletFrozen
   */
  topUp(request: IdempotentRequest, caller: Caller, activityId: string, body: TopUpBody): Promise<TopUpDto> {
    const write = () =>
      this.idempotency.once(request, async (tx) => {
        const added = await this.topUps.add(tx, caller, activityId, body);
        const { topUp, activity, terms } = added;
        const { totalMinor: amountMinor, packetCount } = terms;
        await this.additions.record(tx, caller, activity, { topUpId: topUp.id, amountMinor, packetCount });
        return this.view(activityId, added);
      });
    return this.large.admit(body.packetCount, () => this.additions.run(write));
  }

  private view(activityId: string, { topUp, terms }: Added): TopUpDto {
    return {
      id: topUp.id,
      activityId,
      amount: this.currency.format(terms.totalMinor),
      packetCount: terms.packetCount,
      createdAt: topUp.createdAt.toISOString(),
    };
  }
}
