import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import {
  type Caller,
  decodeCursor,
  IdempotencyService,
  type IdempotentRequest,
  type Page,
  toPage,
  unavailable,
} from '../../platform/http';
import { AuditLog } from '../../core/audit';
import { Currencies } from '../../core/currency';
import { type DeedWish, type GuardedDeed, type PerformedDeed, SecondPerson } from '../../core/second-person';
import type { Approval } from './approval';
import type { ApprovalDto, ApprovalQuery, MyApprovalsQuery } from './approval.dto';
import { approvalNotFound, approvalNotPending, ownApproval } from './approval.error';
import { ApprovalRepository } from './approval.repository';
import { ApprovalViews } from './approval-views';

/**
 * Lets a second person decide. The decision and the deed are one transaction, under the lock of the
 * approval's row: of two people who decide at once, the second finds it decided. Even without that
 * lock the ledger would accept the transfer of an approval only once: the request fixed its source.
 *
 * If the deed is impossible (the wallet is frozen, another person has dealt with the letter), the decision is
 * undone too. The approval stays pending: it can be tried again, rejected, or left to expire.
 */
@Injectable()
export class ApprovalService {
  constructor(
    private readonly approvals: ApprovalRepository,
    private readonly views: ApprovalViews,
    private readonly secondPerson: SecondPerson,
    private readonly idempotency: IdempotencyService,
    private readonly currencies: Currencies,
    private readonly audit: AuditLog,
  ) {}

  async list({ status, limit, cursor }: ApprovalQuery): Promise<Page<ApprovalDto>> {
    return this.pageOf(await this.approvals.list(status, decodeCursor(cursor), limit + 1), limit);
  }

  /** One person's requests, whatever their outcome. */
  async listAskedBy(
    { userId }: Caller,
    { status, limit, cursor }: MyApprovalsQuery,
  ): Promise<Page<ApprovalDto>> {
    const rows = await this.approvals.listAskedBy(userId, status, decodeCursor(cursor), limit + 1);
    return this.pageOf(rows, limit);
  }

  /** @throws approvalNotFound */
  async read(id: string): Promise<ApprovalDto> {
    return this.views.one(found(id, await this.approvals.findApproval(id)));
  }

  /** @throws approvalNotFound, ownApproval, approvalNotPending, unavailable, and what the deed itself throws */
  async approve(request: IdempotentRequest, id: string): Promise<ApprovalDto> {
    const { caller } = request;
    const asked = await this.wishOf(found(id, await this.approvals.findApproval(id)));
    const decide = () =>
      this.decide(request, id, 'approved', async (tx, approval) =>
        this.deedOf(approval).perform(tx, caller, await this.wishOf(approval)),
      );
    const deed = this.secondPerson.findDeed(asked.action);
    return deed?.around ? deed.around(caller, asked, decide) : decide();
  }

  /** @throws approvalNotFound, ownApproval, approvalNotPending, unavailable */
  reject(request: IdempotentRequest, id: string, reason?: string): Promise<ApprovalDto> {
    const carryOut = async (tx: EntityManager, approval: Approval) => {
      await this.deedOf(approval).reject?.(tx, await this.wishOf(approval));
      return { detail: reason === undefined ? {} : { reason } };
    };
    return this.decide(request, id, 'rejected', carryOut, reason);
  }

  private decide(
    request: IdempotentRequest,
    id: string,
    status: 'approved' | 'rejected',
    carryOut: (tx: EntityManager, approval: Approval) => Promise<PerformedDeed>,
    reason?: string,
  ): Promise<ApprovalDto> {
    return this.idempotency.once(request, async (tx) => {
      const { caller } = request;
      const approval = found(id, await this.approvals.lock(tx, id));
      requireAnother(caller, approval);
      requirePending(approval);
      const { resultId, detail } = await carryOut(tx, approval);
      const decided = await this.approvals.decide(tx, id, status, caller.userId, { resultId, reason });
      const { action, askedBy } = decided;
      await this.audit.record(tx, caller, {
        action: status === 'approved' ? 'approval.approve' : 'approval.reject',
        id,
        before: { status: approval.status },
        after: { status },
        detail: { action, askedBy, ...detail },
      });
      return this.views.one(decided);
    });
  }

  private async wishOf({ currency, ...approval }: Approval): Promise<DeedWish> {
    return { ...approval, currency: await this.currencies.named({ currency: currency ?? undefined }) };
  }

  private async pageOf(rows: Approval[], limit: number): Promise<Page<ApprovalDto>> {
    const { items, nextCursor } = toPage(rows, limit, (row) => row.id);
    return { items: await Promise.all(items.map((row) => this.views.one(row))), nextCursor };
  }

  /**
   * During a deployment both versions run, so a retry may reach the other one. Even a rejection needs the
   * owner of the deed, because something may wait for it.
   */
  private deedOf({ id, action }: Approval): GuardedDeed {
    const deed = this.secondPerson.findDeed(action);
    if (deed) return deed;
    throw unavailable(
      `Approval ${id} is for ${action}, which this program does not know. Try again; if that does not help, upgrade it.`,
      { retryAfterSeconds: 1 },
    );
  }
}

function found(id: string, approval: Approval | undefined): Approval {
  if (!approval) throw approvalNotFound(`There is no approval ${id}.`);
  return approval;
}

function requireAnother({ userId }: Caller, { id, askedBy }: Approval): void {
  if (userId === askedBy) throw ownApproval(`You requested approval ${id} yourself.`);
}

function requirePending({ id, status }: Approval): void {
  if (status !== 'pending') throw approvalNotPending(`Approval ${id} is ${status}.`);
}
