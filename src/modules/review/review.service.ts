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
import { AuditLog } from '../audit';
import type { ApprovalQuery } from './review.dto';
import { ReviewedDeeds } from './reviewed-deeds';

/** What came of it, for the audit log. */
type Deed = (tx: EntityManager, approval: Approval) => Promise<Record<string, unknown>>;

/**
 * Lets a second person decide. The decision and what it leads to are one transaction, under the lock of the approval's row:
 * of two who decide at once, the second one finds it decided. Were that lock not there, the ledger would still take the
 * transfer of an approval only once, because its source is fixed when it is asked for.
 *
 * What cannot be done (a wallet that is frozen, a letter that somebody has dealt with) undoes the decision as well: it stays
 * pending, for another try, a rejection, or its end.
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
  async approve(request: IdempotentRequest, caller: Caller, id: string): Promise<ApprovalDto> {
    const asked = found(id, await this.approvals.findApproval(id));
    return this.deeds.around(asked, () =>
      this.decide(request, caller, id, 'approved', (tx, approval) =>
        this.deeds.perform(tx, caller, approval),
      ),
    );
  }

  /** @throws approvalNotFound, ownApproval, approvalNotPending */
  reject(request: IdempotentRequest, caller: Caller, id: string): Promise<ApprovalDto> {
    return this.decide(request, caller, id, 'rejected', () => Promise.resolve({}));
  }

  private decide(
    request: IdempotentRequest,
    caller: Caller,
    id: string,
    status: 'approved' | 'rejected',
    deed: Deed,
  ): Promise<ApprovalDto> {
    return this.idempotency.once(request, async (tx) => {
      const approval = found(id, await this.approvals.lock(tx, id));
      requireAnother(caller, approval);
      requirePending(approval);
      const outcome = await deed(tx, approval);
      const decided = await this.approvals.decide(tx, id, status, caller.userId);
      const { action, askedBy } = decided;
      await this.audit.record(tx, caller, {
        action: status === 'approved' ? 'approval.approve' : 'approval.reject',
        id,
        before: { status: approval.status },
        after: { status },
        detail: { action, askedBy, ...outcome },
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
