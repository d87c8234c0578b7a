import { Injectable, Logger } from '@nestjs/common';
import { Currency } from '../../platform/config';
import { type Caller, IdempotencyService, type IdempotentRequest } from '../../platform/http';
import { AuditLog } from '../audit';
import { ActivityLoader } from './activity-loader';
import { type Added, ActivityTopUp } from './activity-top-up';
import { LargeWrites } from './large-writes';
import type { TopUpBody, TopUpDto } from './top-up.dto';

@Injectable()
export class TopUpService {
  private readonly logger = new Logger('TopUp');

  constructor(
    private readonly topUps: ActivityTopUp,
    private readonly loader: ActivityLoader,
    private readonly large: LargeWrites,
    private readonly idempotency: IdempotencyService,
    private readonly audit: AuditLog,
    private readonly currency: Currency,
  ) {}

  /**
   * Added and paid for when this returns, and as a rule to be drawn as well; if Redis is away the sweeper loads it later.
   *
   * @throws activityNotFound, activityEnded, Problem `request.invalid` naming a field, insufficientFunds, walletFrozen
   */
  topUp(request: IdempotentRequest, caller: Caller, activityId: string, body: TopUpBody): Promise<TopUpDto> {
    return this.large.admit(body.packetCount, () => this.topUpAdmitted(request, caller, activityId, body));
  }

  private async topUpAdmitted(
    request: IdempotentRequest,
    caller: Caller,
    activityId: string,
    body: TopUpBody,
  ): Promise<TopUpDto> {
    const toppedUp = await this.idempotency.once(request, async (tx) => {
      const added = await this.topUps.add(tx, caller, activityId, body);
      await this.audit.record(tx, caller, { action: 'activity.top-up', id: activityId, ...this.deed(added) });
      return this.view(activityId, added);
    });
    await this.loader
      .extend(activityId)
      .catch((error: unknown) =>
        this.logger.warn(`What was added to ${activityId} is left to the sweeper: ${String(error)}`),
      );
    return toppedUp;
  }

  private deed({ topUp, activity, terms }: Added) {
    const size = (totalMinor: bigint, packetCount: number) => ({
      totalAmount: this.currency.format(totalMinor),
      packetCount,
    });
    const { totalMinor, packetCount } = activity;
    return {
      before: size(totalMinor, packetCount),
      after: size(totalMinor + terms.totalMinor, packetCount + terms.packetCount),
      detail: { topUpId: topUp.id },
    };
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
