import { Injectable, Logger } from '@nestjs/common';
import { redPacketId } from '../../../libs/red-packet-id';
import { Currency } from '../../platform/config';
import { type Caller, IdempotencyService, type IdempotentRequest } from '../../platform/http';
import { AuditLog } from '../audit';
import { ActivityLoader } from './activity-loader';
import { ClaimVoiding, type VoidedClaim } from './claim-voiding';
import type { VoidedClaimDto } from './void.dto';

@Injectable()
export class VoidService {
  private readonly logger = new Logger('Void');

  constructor(
    private readonly voiding: ClaimVoiding,
    private readonly loader: ActivityLoader,
    private readonly idempotency: IdempotencyService,
    private readonly audit: AuditLog,
    private readonly currency: Currency,
  ) {}

  /**
   * Given back when this returns, and as a rule the new packet is to be drawn as well; if Redis is away the sweeper loads
   * it later.
   *
   * @throws deadLetterNotFound, deadLetterNotOpen, balanceLimitReached
   */
  async declareVoid(
    request: IdempotentRequest,
    caller: Caller,
    letterId: string,
    reason: string,
  ): Promise<VoidedClaimDto> {
    const answer = await this.idempotency.once(request, async (tx) => {
      const claim = await this.voiding.declareVoid(tx, letterId, reason);
      const view = this.view(letterId, claim);
      await this.audit.record(tx, caller, {
        action: 'dead-letter.void',
        id: letterId,
        before: { status: claim.status },
        after: { status: 'void', resolution: reason },
        detail: { claimId: claim.claimId, redPacketId: view.redPacketId },
      });
      return view;
    });
    await this.loader
      .extend(answer.activityId)
      .catch((error: unknown) =>
        this.logger.warn(
          `The packet that replaces claim ${answer.claimId} is left to the sweeper: ${String(error)}`,
        ),
      );
    return answer;
  }

  private view(letterId: string, claim: VoidedClaim): VoidedClaimDto {
    const { claimId, activityId, userId, amountMinor, replacementNo } = claim;
    return {
      ...{ deadLetterId: letterId, claimId, activityId, userId },
      amount: this.currency.format(amountMinor),
      redPacketId: replacementNo === undefined ? null : redPacketId(activityId, replacementNo),
    };
  }
}
