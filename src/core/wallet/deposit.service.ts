import { Injectable } from '@nestjs/common';
import { Currency } from '../../platform/config';
import { IdempotencyService, type IdempotentRequest } from '../../platform/http';
import { type ApprovalDto, ApprovalRequests } from '../../extensions/approval';
import type { DepositBody, DepositDto } from './wallet.dto';
import { WalletService } from './wallet.service';

@Injectable()
export class DepositService {
  constructor(
    private readonly wallets: WalletService,
    private readonly approvals: ApprovalRequests,
    private readonly idempotency: IdempotencyService,
    private readonly currency: Currency,
  ) {}

  /**
   * Deposits at once, or requests an approval when the amount needs one.
   *
   * @throws walletFrozen, balanceLimitReached
   */
  deposit(request: IdempotentRequest, ownerId: string, body: DepositBody): Promise<DepositDto | ApprovalDto> {
    const amountMinor = this.currency.parse(body.amount);
    const { reference } = body;
    const wish = { action: 'wallet.deposit', subjectId: ownerId, amountMinor, terms: { reference } } as const;
    return this.idempotency.once(request, (tx, sourceId) =>
      this.approvals.doOrAsk(tx, request, { ...wish, sourceId }, () =>
        this.wallets.deposit(tx, request.caller, ownerId, body, sourceId),
      ),
    );
  }
}
