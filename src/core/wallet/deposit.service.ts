import { Injectable } from '@nestjs/common';
import { IdempotencyService, type IdempotentRequest } from '../../platform/http';
import { Currencies } from '../currency';
import { type PendingDeed, SecondPerson } from '../second-person';
import { DEPOSIT } from './deeds';
import type { DepositBody, DepositDto } from './wallet.dto';
import { WalletService } from './wallet.service';

/** The terms of a deposit in the default currency name no currency. */
type DepositTerms = Pick<DepositBody, 'reference' | 'currency'>;

@Injectable()
export class DepositService {
  constructor(
    private readonly wallets: WalletService,
    private readonly secondPerson: SecondPerson,
    private readonly idempotency: IdempotencyService,
    private readonly currencies: Currencies,
  ) {
    secondPerson.registerDeed<DepositTerms>({
      ...DEPOSIT,
      perform: async (tx, approver, { subjectId, sourceId, amountMinor, terms }) => {
        const currency = await currencies.named(terms);
        const body = { ...terms, amount: currency.format(amountMinor) };
        const { transferId } = await wallets.deposit(tx, approver, subjectId, body, sourceId);
        return { detail: { transferId } };
      },
    });
  }

  /**
   * Deposits at once, or requests the deposit if the amount needs a second person.
   *
   * @throws Problem `request.invalid` naming the currency, walletFrozen, balanceLimitReached
   */
  async deposit(
    request: IdempotentRequest,
    ownerId: string,
    body: DepositBody,
  ): Promise<DepositDto | PendingDeed> {
    const currency = await this.currencies.namedByHand(body);
    const amountMinor = currency.parse(body.amount);
    const terms: DepositTerms = { reference: body.reference, currency: body.currency };
    const wish = { action: DEPOSIT.action, subjectId: ownerId, currency, amountMinor, terms };
    return this.idempotency.once(request, (tx, sourceId) =>
      this.secondPerson.performOrRequest(tx, request, { ...wish, sourceId }, () =>
        this.wallets.deposit(tx, request.caller, ownerId, body, sourceId),
      ),
    );
  }
}
