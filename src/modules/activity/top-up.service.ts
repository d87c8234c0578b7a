import { Injectable, Logger } from '@nestjs/common';
import { Slots } from '../../../libs/slots';
import { Currency } from '../../platform/config';
import { busy, type Caller, IdempotencyService, type IdempotentRequest } from '../../platform/http';
import { AuditLog } from '../audit';
import { ActivityLoader } from './activity-loader';
import { type Added, ActivityTopUp } from './activity-top-up';
import { LargeWrites } from './large-writes';
import type { TopUpBody, TopUpDto } from './top-up.dto';

/** Top-ups of one activity wait for each other, each on a connection, and grabs are confirmed over the same pool. */
const AT_ONCE_MAX = 4;

@Injectable()
export class TopUpService {
  private readonly logger = new Logger('TopUp');
  private readonly slots = new Slots(AT_ONCE_MAX);

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
    return this.slots.run(
      () => this.large.admit(body.packetCount, () => this.topUpAdmitted(request, caller, activityId, body)),
      () => busy('Other top-ups are under way; try again in a moment.', { retryAfterSeconds: 1 }),
    );
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
