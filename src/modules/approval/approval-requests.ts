import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AppConfig, Currency } from '../../platform/config';
import type { IdempotentRequest } from '../../platform/http';
import { AuditLog } from '../audit';
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
    const mayAlone = await this.limits.take(tx, request.caller.userId, wish.amountMinor);
    return mayAlone ? deed() : this.requestApproval(tx, request, wish);
  }

  /** The HTTP request is answered 202. */
  async requestApproval(
    tx: EntityManager,
    request: IdempotentRequest,
    wish: NewApproval,
  ): Promise<ApprovalDto> {
    const validSeconds = this.config.APPROVAL_VALID_SECONDS;
    const approval = await this.approvals.insert(tx, wish, request.caller.userId, validSeconds);
    const dto = toApprovalDto(approval, this.currency);
    const { id, status, action, subject, amount, terms } = dto;
    await this.audit.record(tx, request.caller, {
      action: 'approval.ask',
      id,
      after: { status },
      detail: { action, subject, amount, terms },
    });
    request.accept();
    return dto;
  }
}
