import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditLog } from '../../../core/audit';
import { SecondPerson } from '../../../core/second-person';
import { LedgerRepository, walletFrozen } from '../../../core/wallet';
import type { Caller } from '../../../platform/http';
import { PayoutChanges } from './payout-changes';
import { RESERVATION, type ReservationTerms } from './payout-deeds';
import { payoutNotOpen } from '../channel/payout.error';
import { PayoutRepository } from './payout.repository';

@Injectable()
export class PayoutReviews {
  constructor(
    private readonly payouts: PayoutRepository,
    private readonly changes: PayoutChanges,
    private readonly ledger: LedgerRepository,
    private readonly audit: AuditLog,
    secondPerson: SecondPerson,
  ) {
    secondPerson.registerDeed<ReservationTerms>({
      ...RESERVATION,
      perform: async (tx, approver, { subjectId }) => {
        await this.approve(tx, approver, subjectId);
        return { detail: {} };
      },
      reject: (tx, { subjectId }) => this.reject(tx, subjectId, 'review-rejected'),
    });
  }

  /**
   * Reserves a payout that a second person has approved.
   * @throws payoutNotOpen, walletFrozen, insufficientFunds, balanceLimitReached
   */
  private async approve(tx: EntityManager, approver: Caller, id: string): Promise<void> {
    const payout = await this.payouts.lock(tx, id);
    if (payout?.state !== 'review') throw payoutNotOpen(`Payout ${id} is not under review.`);
    const { walletAccountId, userId } = payout;
    const wallet = (await this.ledger.lock(tx, [walletAccountId])).get(walletAccountId);
    if (wallet?.status === 'frozen') throw walletFrozen(`The wallet of ${userId} is frozen.`);
    const claims = payout.claims ?? undefined;
    const approvedBy = approver.userId;
    await this.changes.change(tx, payout, { state: 'reserved' }, { claims, approvedBy });
    await this.audit.record(tx, approver, {
      action: RESERVATION.action,
      id,
      before: { state: payout.state },
      after: { state: 'reserved' },
    });
  }

  /** Nothing was taken from the wallet. Another process may have ended the payout already. */
  async reject(tx: EntityManager, id: string, code: 'review-rejected' | 'review-expired'): Promise<void> {
    const payout = await this.payouts.lock(tx, id);
    if (payout?.state === 'review') await this.changes.change(tx, payout, { state: 'refused', code });
  }
}
