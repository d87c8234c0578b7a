import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Currency } from '../../platform/config';
import type { Caller } from '../../platform/http';
import type { Approval } from '../approval';
import { VoidService } from '../lifecycle';
import { WalletService } from '../wallet';

/** Does what was approved, by the services that do it where nobody has to approve it. */
@Injectable()
export class ReviewedDeeds {
  constructor(
    private readonly wallets: WalletService,
    private readonly voids: VoidService,
    private readonly currency: Currency,
  ) {}

  /** What has to happen before and after the transaction that does it. */
  around<T>({ action, terms }: Approval, transaction: () => Promise<T>): Promise<T> {
    return action === 'dead-letter.void' ? this.voids.around(terms.activityId, transaction) : transaction();
  }

  /**
   * The approver's deed, as the audit log says; that somebody else has asked for it stands with the approval.
   *
   * @returns what came of it
   * @throws walletFrozen, balanceLimitReached, deadLetterNotFound, deadLetterNotOpen
   */
  async perform(tx: EntityManager, approver: Caller, approval: Approval): Promise<Record<string, unknown>> {
    const { action, subjectId, sourceId, amountMinor, terms } = approval;
    if (action === 'dead-letter.void') {
      const { redPacketId } = await this.voids.perform(tx, approver, subjectId, terms);
      return { redPacketId };
    }
    const body = { ...terms, amount: this.currency.format(amountMinor) };
    const { transferId } = await this.wallets.deposit(tx, approver, subjectId, body, sourceId);
    return { transferId };
  }
}
