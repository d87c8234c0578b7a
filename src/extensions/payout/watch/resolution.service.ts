import { Injectable } from '@nestjs/common';
import { Currencies } from '../../../core/currency';
import { IdempotencyService, type IdempotentRequest } from '../../../platform/http';
import { type PendingDeed, SecondPerson } from '../../../core/second-person';
import { PayoutDecisions, requireNewest } from '../book/payout-decisions';
import { RESOLUTION, type ResolutionTerms } from '../book/payout-deeds';
import type { ResolvePayoutBody } from '../book/outcome.dto';
import { type PayoutDto, payoutDtoIn } from '../book/payout.dto';
import { PayoutRepository } from '../book/payout.repository';

/** Lets two people decide the outcome of a payout that its channel does not report. */
@Injectable()
export class ResolutionService {
  constructor(
    private readonly payouts: PayoutRepository,
    private readonly decisions: PayoutDecisions,
    private readonly secondPerson: SecondPerson,
    private readonly idempotency: IdempotencyService,
    private readonly currencies: Currencies,
  ) {
    secondPerson.registerDeed<ResolutionTerms>({
      ...RESOLUTION,
      perform: async (tx, approver, { subjectId, terms }) => {
        await this.decisions.resolve(tx, approver, subjectId, terms);
        return { detail: { outcome: terms.outcome } };
      },
    });
  }

  /**
   * Asks a second person to confirm how a payout ended. Ends it at once where nobody could.
   * @throws payoutNotFound, payoutNotOpen, payoutSentAgain, ownPayout, balanceLimitReached
   */
  askToResolve(
    request: IdempotentRequest,
    id: string,
    body: ResolvePayoutBody,
  ): Promise<PayoutDto | PendingDeed> {
    const { caller } = request;
    return this.idempotency.once(request, async (tx) => {
      const payout = await this.payouts.lockOpen(tx, caller, id);
      requireNewest(payout, body);
      const { amountMinor, channelId, userId, walletAccountId } = payout;
      const currency = await this.currencies.ofAccount(walletAccountId);
      const terms: ResolutionTerms = { ...body, channelId, userId };
      const wish = { action: RESOLUTION.action, subjectId: id, sourceId: id, currency, amountMinor, terms };
      return this.secondPerson.requestOrPerform(tx, request, wish, async () =>
        payoutDtoIn(await this.decisions.resolve(tx, caller, id, body), this.currencies),
      );
    });
  }
}
