import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AppConfig, Currency } from '../../platform/config';
import type { IdempotentRequest } from '../../platform/http';
import { type Actor, AuditLog, type Deed } from '../../core/audit';
import type { NewApproval } from './approval';
import { type ApprovalDto, toApprovalDto } from './approval.dto';
import { ApprovalRepository } from './approval.repository';
import { SoloLimits } from './solo-limits';

/** Records requests that one person may not carry out alone. */
@Injectable()
export class ApprovalRequests {
  constructor(
    private readonly limits: SoloLimits,
    private readonly approvals: ApprovalRepository,
    private readonly audit: AuditLog,
    private readonly config: AppConfig,
    private readonly currency: Currency,
  ) {}

  /** Does the deed when the caller may do it alone; otherwise requests an approval. All in `tx`. */
  async doOrAsk<T>(
    tx: EntityManager,
    request: IdempotentRequest,
    wish: NewApproval,
    deed: () => Promise<T>,
  ): Promise<T | ApprovalDto> {
    const [mayAlone] = await this.limits.take(tx, [
      { doneBy: request.caller.userId, amountMinor: wish.amountMinor },
    ]);
    return mayAlone ? deed() : this.requestApproval(tx, request, wish);
  }

  /** The HTTP request is answered 202. */
  async requestApproval(
    tx: EntityManager,
    request: IdempotentRequest,
    wish: NewApproval,
  ): Promise<ApprovalDto> {
    const [dto] = await this.requestAll(tx, [{ ...wish, askedBy: request.caller }]);
    request.accept();
    return dto!;
  }

  /** Requests approvals, also of what nobody has asked for by a request of HTTP. */
  async requestAll(
    tx: EntityManager,
    wishes: readonly (NewApproval & { readonly askedBy: Actor })[],
  ): Promise<ApprovalDto[]> {
    if (wishes.length === 0) return [];
    const approvals = await this.approvals.insert(
      tx,
      wishes.map(({ askedBy, ...wish }) => ({ ...wish, askedBy: askedBy.userId })),
      this.config.APPROVAL_VALID_SECONDS,
    );
    const dtos = approvals.map((approval) => toApprovalDto(approval, this.currency));
    await this.audit.recordAll(
      tx,
      dtos.map((dto, i) => ({ actor: wishes[i]!.askedBy, deed: askingOf(dto) })),
    );
    return dtos;
  }
}

const askingOf = ({ id, status, action, subject, amount, terms }: ApprovalDto): Deed => ({
  ...{ action: 'approval.ask', id, after: { status } },
  detail: { action, subject, amount, terms },
});
