import { Injectable } from '@nestjs/common';
import { Currency } from '../../platform/config';
import { IdempotencyService, type IdempotentRequest } from '../../platform/http';
import { type PendingDeed, SecondPerson } from '../second-person';
import { DEPOSIT } from './deeds';
import type { DepositBody, DepositDto } from './wallet.dto';
import { WalletService } from './wallet.service';

type DepositTerms = Pick<DepositBody, 'reference'>;

@Injectable()
export class DepositService {
  constructor(
    private readonly wallets: WalletService,
    private readonly secondPerson: SecondPerson,
    private readonly idempotency: IdempotencyService,
    private readonly currency: Currency,
  ) {
    secondPerson.registerDeed<DepositTerms>({
      ...DEPOSIT,
      perform: async (tx, approver, { subjectId, sourceId, amountMinor, terms }) => {
        const body = { ...terms, amount: currency.format(amountMinor) };
        const { transferId } = await wallets.deposit(tx, approver, subjectId, body, sourceId);
        return { detail: { transferId } };
      },
    });
  }

  /**
   * Deposits at once, or requests it where the amount needs a second person.
   *
   * @throws walletFrozen, balanceLimitReached
   */
  deposit(request: IdempotentRequest, ownerId: string, body: DepositBody): Promise<DepositDto | PendingDeed> {
    const amountMinor = this.currency.parse(body.amount);
    const terms: DepositTerms = { reference: body.reference };
    const wish = { action: DEPOSIT.action, subjectId: ownerId, amountMinor, terms };
    return this.idempotency.once(request, (tx, sourceId) =>
      this.secondPerson.performOrRequest(tx, request, { ...wish, sourceId }, () =>
        this.wallets.deposit(tx, request.caller, ownerId, body, sourceId),
      ),
    );
  }
}
