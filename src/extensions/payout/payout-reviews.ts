import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { SecondPerson } from '../../core/second-person';
import { LedgerRepository, walletFrozen } from '../../core/wallet';
import { PayoutChanges } from './payout-changes';
import { RESERVATION, type ReservationTerms } from './payout-deeds';
import { payoutNotOpen } from './payout.error';
import { PayoutRepository } from './payout.repository';

@Injectable()
export class PayoutReviews {
  constructor(
    private readonly payouts: PayoutRepository,
    private readonly changes: PayoutChanges,
    private readonly ledger: LedgerRepository,
    secondPerson: SecondPerson,
  ) {
    secondPerson.registerDeed<ReservationTerms>({
      ...RESERVATION,
      perform: async (tx, approver, { subjectId }) => {
        await this.approve(tx, subjectId, approver.userId);
        return { detail: {} };
      },
      reject: (tx, { subjectId }) => this.reject(tx, subjectId, 'review-rejected'),
    });
  }

  /**
   * Reserves a payout that a second person has approved.
   * @throws payoutNotOpen, walletFrozen, insufficientFunds
   */
  private async approve(tx: EntityManager, id: string, approvedBy: string): Promise<void> {
    const payout = await this.payouts.lock(tx, id);
    if (payout?.state !== 'review') throw payoutNotOpen(`Payout ${id} is not under review.`);
    const { walletAccountId, userId } = payout;
    const wallet = (await this.ledger.lock(tx, [walletAccountId])).get(walletAccountId);
    if (wallet?.status === 'frozen') throw walletFrozen(`The wallet of ${userId} is frozen.`);
    const claims = payout.claims ?? undefined;
    await this.changes.change(tx, payout, { state: 'reserved' }, { claims, approvedBy });
  }

  /** Nothing was taken from the wallet. Another process may have ended the payout already. */
  async reject(tx: EntityManager, id: string, code: 'review-rejected' | 'review-expired'): Promise<void> {
    const payout = await this.payouts.lock(tx, id);
    if (payout?.state === 'review') await this.changes.change(tx, payout, { state: 'refused', code });
  }
}
