import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Currency } from '../../platform/config';
import {
  type Caller,
  decodeCursor,
  IdempotencyService,
  type IdempotentRequest,
  type Page,
  toPage,
} from '../../platform/http';
import {
  type Approval,
  type ApprovalDto,
  approvalNotFound,
  approvalNotPending,
  ApprovalRepository,
  ownApproval,
  toApprovalDto,
} from '../approval';
import { AuditLog } from '../../core/audit';
import type { ApprovalQuery } from './review.dto';
import { type Done, ReviewedDeeds } from './reviewed-deeds';

type Deed = (tx: EntityManager, approval: Approval) => Promise<Done>;

/**
 * Lets a second person decide. The decision and the deed are one transaction, under the lock of the
 * approval's row: of two people who decide at once, the second finds it decided. Even without that
 * lock the ledger would take the transfer of an approval only once: the request fixed its source.
 *
 * A deed that is impossible (the wallet is frozen, another person has dealt with the letter) undoes
 * the decision too. The approval stays pending: it can be tried again, be rejected, or expire.
 */
@Injectable()
export class ReviewService {
  constructor(
    private readonly approvals: ApprovalRepository,
    private readonly deeds: ReviewedDeeds,
    private readonly idempotency: IdempotencyService,
    private readonly audit: AuditLog,
    private readonly currency: Currency,
  ) {}

  async list({ status, limit, cursor }: ApprovalQuery): Promise<Page<ApprovalDto>> {
    const rows = await this.approvals.list(status, decodeCursor(cursor), limit + 1);
    const { items, nextCursor } = toPage(rows, limit, (row) => row.id);
    return { items: items.map((row) => toApprovalDto(row, this.currency)), nextCursor };
  }

  /** @throws approvalNotFound */
  async read(id: string): Promise<ApprovalDto> {
    return toApprovalDto(found(id, await this.approvals.findApproval(id)), this.currency);
  }

  /** @throws approvalNotFound, ownApproval, approvalNotPending, and what the deed itself throws */
  async approve(request: IdempotentRequest, id: string): Promise<ApprovalDto> {
    const asked = found(id, await this.approvals.findApproval(id));
    return this.deeds.around(request.caller, asked, () =>
      this.decide(request, id, 'approved', (tx, approval) =>
        this.deeds.perform(tx, request.caller, approval),
      ),
    );
  }

  /** @throws approvalNotFound, ownApproval, approvalNotPending */
  reject(request: IdempotentRequest, id: string): Promise<ApprovalDto> {
    return this.decide(request, id, 'rejected', (tx, approval) => this.deeds.reject(tx, approval));
  }

  private decide(
    request: IdempotentRequest,
    id: string,
    status: 'approved' | 'rejected',
    deed: Deed,
  ): Promise<ApprovalDto> {
    return this.idempotency.once(request, async (tx) => {
      const { caller } = request;
      const approval = found(id, await this.approvals.lock(tx, id));
      requireAnother(caller, approval);
      requirePending(approval);
      const { resultId, detail } = await deed(tx, approval);
      const decided = await this.approvals.decide(tx, id, status, caller.userId, resultId);
      const { action, askedBy } = decided;
      await this.audit.record(tx, caller, {
        action: status === 'approved' ? 'approval.approve' : 'approval.reject',
        id,
        before: { status: approval.status },
        after: { status },
        detail: { action, askedBy, ...detail },
      });
      return toApprovalDto(decided, this.currency);
    });
  }
}

function found(id: string, approval: Approval | undefined): Approval {
  if (!approval) throw approvalNotFound(`There is no approval ${id}.`);
  return approval;
}

function requireAnother({ userId }: Caller, { id, askedBy }: Approval): void {
  if (userId === askedBy) throw ownApproval(`You have asked for approval ${id} yourself.`);
}

function requirePending({ id, status }: Approval): void {
  if (status !== 'pending') throw approvalNotPending(`Approval ${id} is ${status}.`);
}
