import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Currency } from '../../platform/config';
import type { Caller } from '../../platform/http';
import type { Approval } from '../approval';
import { VoidService } from '../lifecycle';
import { WalletService } from '../wallet';

/** Carries out approved deeds with the services that carry out deeds without approval. */
@Injectable()
export class ReviewedDeeds {
  constructor(
    private readonly wallets: WalletService,
    private readonly voids: VoidService,
    private readonly currency: Currency,
  ) {}

  /** Adds the steps that must happen before and after the transaction of the deed. */
  around<T>({ action, terms }: Approval, transaction: () => Promise<T>): Promise<T> {
    return action === 'dead-letter.void' ? this.voids.around(terms.activityId, transaction) : transaction();
  }

  /**
   * Carries out the deed as the approver, who is the actor in the audit log. The approval names the
   * person who asked.
   *
   * @returns the result of the deed
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
