import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Currency } from '../../platform/config';
import type { Caller } from '../../platform/http';
import type { Approval, ApprovalDto } from '../approval';
import { CreationDeed, TopUpService, VoidService } from '../../core/lifecycle';
import { OutcomeService, PayoutReviews } from '../payout';
import { WalletService } from '../../core/wallet';

export interface Done {
  /** The activity or top-up that was created. */
  readonly resultId?: string;
  /** The result for the audit log. */
  readonly detail: Record<string, unknown>;
}

/** Carries out approved deeds with the services that carry out deeds without approval. */
@Injectable()
export class ReviewedDeeds {
  constructor(
    private readonly wallets: WalletService,
    private readonly voids: VoidService,
    private readonly creations: CreationDeed,
    private readonly topUps: TopUpService,
    private readonly payoutReviews: PayoutReviews,
    private readonly payoutOutcomes: OutcomeService,
    private readonly currency: Currency,
  ) {}

  /** Adds the steps that must happen before and after the transaction of the deed. */
  around(
    approver: Caller,
    approval: Approval,
    transaction: () => Promise<ApprovalDto>,
  ): Promise<ApprovalDto> {
    const { action, subjectId, terms } = approval;
    switch (action) {
      case 'wallet.deposit':
      case 'payout.reserve':
      case 'payout.resolve':
        return transaction();
      case 'dead-letter.void':
        return this.voids.around(approver, terms.activityId, transaction);
      case 'activity.create':
        return this.creations.around(
          approver,
          terms.packetCount,
          transaction,
          ({ resultId }) => resultId ?? undefined,
        );
      case 'activity.top-up':
        return this.topUps.around(approver, subjectId, terms.packetCount, transaction);
    }
  }

  /**
   * The approver is the actor in the audit log; the approval names the person who asked.
   * @throws what the same deed throws without approval
   */
  async perform(tx: EntityManager, approver: Caller, approval: Approval): Promise<Done> {
    const { action, subjectId, sourceId, amountMinor, terms } = approval;
    switch (action) {
      case 'wallet.deposit': {
        const body = { ...terms, amount: this.currency.format(amountMinor) };
        const { transferId } = await this.wallets.deposit(tx, approver, subjectId, body, sourceId);
        return { detail: { transferId } };
      }
      case 'dead-letter.void': {
        const { redPacketId } = await this.voids.perform(tx, approver, subjectId, terms);
        return { detail: { redPacketId } };
      }
      case 'activity.create': {
        const { id } = await this.creations.perform(tx, approver, terms);
        return { resultId: id, detail: { activityId: id } };
      }
      case 'activity.top-up': {
        const { id } = await this.topUps.perform(tx, approver, subjectId, terms);
        return { resultId: id, detail: { topUpId: id } };
      }
      case 'payout.reserve':
        await this.payoutReviews.approve(tx, subjectId, approver.userId);
        return { detail: {} };
      case 'payout.resolve':
        await this.payoutOutcomes.resolve(tx, approver, subjectId, terms);
        return { detail: { outcome: terms.outcome } };
    }
  }

  /** Ends what waited for an approval that was rejected. */
  async reject(tx: EntityManager, { action, subjectId }: Approval): Promise<Done> {
    if (action === 'payout.reserve') await this.payoutReviews.reject(tx, subjectId, 'review-rejected');
    return { detail: {} };
  }
}
