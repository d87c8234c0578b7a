import { Injectable } from '@nestjs/common';
import { IdempotencyService, type IdempotentRequest } from '../../platform/http';
import { Currencies } from '../currency';
import { type PendingDeed, SecondPerson } from '../second-person';
import { REVERSAL } from './deeds';
import type { ReversalDto, ReverseDepositBody } from './wallet.dto';
import { WalletService } from './wallet.service';

interface ReversalTerms extends ReverseDepositBody {
  readonly depositId: string;
}

/**
 * Takes back deposits that were mistakes. Two people always have to agree, whatever the amount, so at least
 * one of them did not make the deposit. The depositor may be the one who asks, since the person who made
 * the mistake often sees it first.
 */
@Injectable()
export class ReversalService {
  constructor(
    private readonly wallets: WalletService,
    private readonly secondPerson: SecondPerson,
    private readonly idempotency: IdempotencyService,
    private readonly currencies: Currencies,
  ) {
    secondPerson.registerDeed<ReversalTerms>({
      ...REVERSAL,
      perform: async (tx, approver, { terms }) => {
        const { transferId } = await wallets.reverseDeposit(tx, approver, terms.depositId, terms.reason);
        return { detail: { transferId } };
      },
    });
  }

  /**
   * Asks for a second person to confirm the reversal. Reverses at once if nobody could.
   * @throws depositNotFound, depositKept, depositReversed, insufficientFunds
   */
  askToReverse(
    request: IdempotentRequest,
    depositId: string,
    { reason }: ReverseDepositBody,
  ): Promise<ReversalDto | PendingDeed> {
    return this.idempotency.once(request, async (tx) => {
      const { ownerId, amountMinor, walletAccountId } = await this.wallets.lockReversible(tx, depositId);
      const currency = await this.currencies.ofAccount(walletAccountId);
      const terms: ReversalTerms = { depositId, reason };
      const wish = {
        action: REVERSAL.action,
        subjectId: ownerId,
        sourceId: depositId,
        currency,
        amountMinor,
        terms,
      };
      return this.secondPerson.requestOrPerform(tx, request, wish, () =>
        this.wallets.reverseDeposit(tx, request.caller, depositId, reason),
      );
    });
  }
}
