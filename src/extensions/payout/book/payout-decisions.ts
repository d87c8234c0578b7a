import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditLog } from '../../../core/audit';
import { SecondPerson } from '../../../core/second-person';
import { LedgerRepository, walletFrozen } from '../../../core/wallet';
import type { Caller } from '../../../platform/http';
import { PayoutChanges } from './payout-changes';
import { RESERVATION, type ReservationTerms, RESOLUTION } from './payout-deeds';
import { payoutNotOpen, payoutSentAgain } from './payout.error';
import type { ResolvePayoutBody } from './outcome.dto';
import type { PayoutRow } from './payout.entity';
import { PayoutRepository } from './payout.repository';

/** What people decide on a payout: whether it may begin, and how it ended if its channel does not say. */
@Injectable()
export class PayoutDecisions {
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

  /**
   * Ends a payout with the outcome that people have found out.
   * @throws payoutNotFound, payoutNotOpen, payoutSentAgain, ownPayout, balanceLimitReached
   */
  async resolve(
    tx: EntityManager,
    approver: Caller,
    id: string,
    body: ResolvePayoutBody,
  ): Promise<PayoutRow> {
    const payout = await this.payouts.lockOpen(tx, approver, id);
    requireNewest(payout, body);
    const { outcome, evidence, externalId } = body;
    const change = { state: outcome, externalId, code: outcome === 'refused' ? 'resolved' : undefined };
    const resolved = await this.changes.change(tx, payout, change, { evidence, approvedBy: approver.userId });
    await this.audit.record(tx, approver, {
      action: RESOLUTION.action,
      id,
      before: { state: payout.state },
      after: { state: outcome },
      detail: { evidence, externalId },
    });
    return resolved;
  }
}

/**
 * Evidence that a payout was not paid says nothing about what was sent after the evidence was gathered.
 * @throws payoutSentAgain
 */
export function requireNewest({ id, lastSentAt }: PayoutRow, body: ResolvePayoutBody): void {
  if (body.outcome !== 'refused' || lastSentAt === null) return;
  if (body.lastSentAt === undefined || Date.parse(body.lastSentAt) !== lastSentAt.getTime())
    throw payoutSentAgain(`Payout ${id} was last sent at ${lastSentAt.toISOString()}.`);
}
