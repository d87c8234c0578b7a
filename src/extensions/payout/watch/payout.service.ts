import { Injectable } from '@nestjs/common';
import { Currencies } from '../../../core/currency';
import { IdempotencyService, type IdempotentRequest } from '../../../platform/http';
import { AuditLog } from '../../../core/audit';
import { FindingRepository } from '../channel/finding.repository';
import { toFindingDto } from './finding.service';
import { type PayoutDto, payoutDtoIn } from '../book/payout.dto';
import type { PayoutStoryDto } from './story.dto';
import { payoutNotFound } from '../book/payout.error';
import { PayoutRepository } from '../book/payout.repository';
import { PayoutHolds } from './payout-holds';

@Injectable()
export class PayoutService {
  constructor(
    private readonly payouts: PayoutRepository,
    private readonly holds: PayoutHolds,
    private readonly findings: FindingRepository,
    private readonly idempotency: IdempotencyService,
    private readonly audit: AuditLog,
    private readonly currencies: Currencies,
  ) {}

  /** @throws payoutNotFound */
  async read(id: string): Promise<PayoutStoryDto> {
    const row = await this.payouts.findPayout(id);
    if (!row) throw payoutNotFound(`There is no payout ${id}.`);
    const [steps, findings] = await Promise.all([this.payouts.story(id), this.findings.about(id)]);
    return {
      ...(await payoutDtoIn(row, this.currencies)),
      lastSentAt: row.lastSentAt?.toISOString() ?? null,
      findings: findings.map(toFindingDto),
      steps: steps.map(({ at, state, detail }) => ({ at: at.toISOString(), state, detail })),
    };
  }

  /**
   * Makes the payout due now. The channel is called with the usual care: it is asked about a payment that
   * may have been sent, which is repeated only if the sender would have repeated it.
   * @throws payoutNotFound, payoutNotOpen, ownPayout, channelNotCalled, channelHeld
   */
  retry(request: IdempotentRequest, id: string): Promise<PayoutDto> {
    return this.idempotency.once(request, async (tx) => {
      const payout = await this.payouts.lockOpen(tx, request.caller, id);
      await this.holds.requireCallable(tx, payout);
      await this.payouts.makeDue(tx, id);
      await this.audit.record(tx, request.caller, { action: 'payout.retry', id });
      return payoutDtoIn(payout, this.currencies);
    });
  }
}
