import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { redPacketId } from '../../../../libs/red-packet-id';
import { Currency } from '../../../platform/config';
import { type Caller, IdempotencyService, type IdempotentRequest } from '../../../platform/http';
import { type ApprovalDto, ApprovalRequests } from '../../../extensions/approval';
import { AuditLog } from '../../audit';
import { PacketAdditions } from '../add/packet-additions';
import { topUpDeed } from '../add/top-up-deed';
import { ClaimVoiding, type VoidedClaim } from './claim-voiding';
import type { VoidBody, VoidedClaimDto } from './void.dto';

@Injectable()
export class VoidService {
  constructor(
    private readonly voiding: ClaimVoiding,
    private readonly additions: PacketAdditions,
    private readonly approvals: ApprovalRequests,
    private readonly idempotency: IdempotencyService,
    private readonly audit: AuditLog,
    private readonly currency: Currency,
  ) {}

  /**
   * Resolves when the money is given back, and the new packet can usually be drawn. If the amount
   * needs an approval, that is requested instead.
   *
   * @throws busy, deadLetterNotFound, deadLetterNotOpen, balanceLimitReached
   */
  declareVoid(
    request: IdempotentRequest,
    letterId: string,
    body: VoidBody,
  ): Promise<VoidedClaimDto | ApprovalDto> {
    const write = () => this.idempotency.once(request, (tx) => this.voidOrAsk(tx, request, letterId, body));
    return this.additions.run(request.caller, 1, write, (answer) =>
      'activityId' in answer ? answer.activityId : undefined,
    );
  }

  /** Runs a transaction that calls `perform`, and loads the new packet after the commit. */
  around<T>(caller: Caller, activityId: string, transaction: () => Promise<T>): Promise<T> {
    return this.additions.run(caller, 1, transaction, () => activityId);
  }

  /** @throws deadLetterNotFound, deadLetterNotOpen, balanceLimitReached */
  async perform(
    tx: EntityManager,
    caller: Caller,
    letterId: string,
    { reason, status }: VoidBody,
  ): Promise<VoidedClaimDto> {
    const claim = await this.voiding.declareVoid(tx, letterId, reason, status);
    const view = this.view(claim);
    await this.record(tx, caller, claim, view, reason);
    if (claim.replacement) await this.additions.announce(claim.replacement.activity, claim.replacement.no);
    return view;
  }

  private async voidOrAsk(
    tx: EntityManager,
    request: IdempotentRequest,
    letterId: string,
    { reason, status = 'open' }: VoidBody,
  ): Promise<VoidedClaimDto | ApprovalDto> {
    const letter = await this.voiding.lockLetter(tx, letterId, status);
    const { activityId, claimId, userId, amountMinor } = letter;
    const wish = {
      ...({ action: 'dead-letter.void', subjectId: letterId, amountMinor, sourceId: claimId } as const),
      terms: { activityId, claimId, userId, reason, status },
    };
    return this.approvals.doOrAsk(tx, request, wish, () =>
      this.perform(tx, request.caller, letterId, { reason, status }),
    );
  }

  private async record(
    tx: EntityManager,
    caller: Caller,
    { letter, replacement }: VoidedClaim,
    { claimId, redPacketId }: VoidedClaimDto,
    reason: string,
  ): Promise<void> {
    await this.audit.record(tx, caller, {
      action: 'dead-letter.void',
      id: letter.id,
      before: { status: letter.status, resolution: letter.resolution },
      after: { status: 'void', resolution: reason },
      detail: { claimId, redPacketId },
    });
    if (!replacement) return;
    const { topUpId, activity } = replacement;
    const addition = { topUpId, amountMinor: letter.amountMinor, packetCount: 1, replacesClaimId: claimId };
    await this.audit.record(tx, caller, topUpDeed(activity, addition, this.currency));
  }

  private view({ letter, replacement }: VoidedClaim): VoidedClaimDto {
    const { id, claimId, activityId, userId, amountMinor } = letter;
    return {
      ...{ deadLetterId: id, claimId, activityId, userId },
      amount: this.currency.format(amountMinor),
      currency: this.currency.code,
      redPacketId: replacement ? redPacketId(activityId, replacement.no) : null,
    };
  }
}
