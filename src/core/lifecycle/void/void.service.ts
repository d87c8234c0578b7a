import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Currency } from '../../../../libs/money';
import { redPacketId } from '../../../../libs/red-packet-id';
import { type Caller, IdempotencyService, type IdempotentRequest } from '../../../platform/http';
import { AuditLog } from '../../audit';
import { Currencies } from '../../currency';
import { isPending, type PendingDeed, SecondPerson } from '../../second-person';
import { PacketAdditions } from '../add/packet-additions';
import { topUpDeed } from '../add/top-up-deed';
import { VOID } from '../deeds';
import { ClaimVoiding, type VoidedClaim } from './claim-voiding';
import type { VoidBody, VoidedClaimDto } from './void.dto';

/** The letter when the void was requested, and the reason. */
interface VoidTerms extends Required<VoidBody> {
  readonly activityId: string;
  readonly claimId: string;
  readonly userId: string;
}

@Injectable()
export class VoidService {
  constructor(
    private readonly voiding: ClaimVoiding,
    private readonly additions: PacketAdditions,
    private readonly secondPerson: SecondPerson,
    private readonly idempotency: IdempotencyService,
    private readonly audit: AuditLog,
    private readonly currencies: Currencies,
  ) {
    secondPerson.registerDeed<VoidTerms>({
      ...VOID,
      around: (approver, { terms }, transaction) =>
        additions.run(approver, 1, transaction, () => terms.activityId),
      perform: async (tx, approver, { subjectId, terms }) => {
        const { redPacketId } = await this.perform(tx, approver, subjectId, terms);
        return { detail: { redPacketId } };
      },
    });
  }

  /**
   * Resolves when the money is given back, and the new packet can usually be drawn. If the amount
   * needs a second person, it is requested instead.
   *
   * @throws busy, deadLetterNotFound, deadLetterNotOpen, balanceLimitReached
   */
  declareVoid(
    request: IdempotentRequest,
    letterId: string,
    body: VoidBody,
  ): Promise<VoidedClaimDto | PendingDeed> {
    const write = () =>
      this.idempotency.once(request, (tx) => this.voidOrRequest(tx, request, letterId, body));
    return this.additions.run(request.caller, 1, write, (answer) =>
      isPending(answer) ? undefined : answer.activityId,
    );
  }

  /** @throws deadLetterNotFound, deadLetterNotOpen, balanceLimitReached */
  private async perform(
    tx: EntityManager,
    caller: Caller,
    letterId: string,
    { reason, status }: VoidBody,
  ): Promise<VoidedClaimDto> {
    const claim = await this.voiding.declareVoid(tx, letterId, reason, status);
    const currency = await this.currencies.ofActivity(claim.letter.activityId);
    const view = viewOf(claim, currency);
    await this.record(tx, caller, claim, view, currency, reason);
    if (claim.replacement) await this.additions.announce(claim.replacement.activity, claim.replacement.no);
    return view;
  }

  private async voidOrRequest(
    tx: EntityManager,
    request: IdempotentRequest,
    letterId: string,
    { reason, status = 'open' }: VoidBody,
  ): Promise<VoidedClaimDto | PendingDeed> {
    const letter = await this.voiding.lockLetter(tx, letterId, status);
    const { activityId, claimId, userId, amountMinor } = letter;
    const terms: VoidTerms = { activityId, claimId, userId, reason, status };
    const currency = await this.currencies.ofActivity(activityId);
    const wish = {
      action: VOID.action,
      subjectId: letterId,
      currency,
      amountMinor,
      sourceId: claimId,
      terms,
    };
    return this.secondPerson.performOrRequest(tx, request, wish, () =>
      this.perform(tx, request.caller, letterId, { reason, status }),
    );
  }

  private async record(
    tx: EntityManager,
    caller: Caller,
    { letter, replacement }: VoidedClaim,
    { claimId, redPacketId }: VoidedClaimDto,
    currency: Currency,
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
    const addition = {
      topUpId,
      amountMinor: letter.amountMinor,
      packetCount: 1,
      replacesClaimId: claimId,
      currency: this.currencies.unlessDefault(currency),
    };
    await this.audit.record(tx, caller, topUpDeed(activity, addition, currency));
  }
}

function viewOf({ letter, replacement }: VoidedClaim, currency: Currency): VoidedClaimDto {
  const { id, claimId, activityId, userId, amountMinor } = letter;
  return {
    deadLetterId: id,
    claimId,
    activityId,
    userId,
    amount: currency.format(amountMinor),
    currency: currency.code,
    redPacketId: replacement ? redPacketId(activityId, replacement.no) : null,
  };
}
