import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AppConfig, Currency } from '../../platform/config';
import type { Caller, IdempotentRequest } from '../../platform/http';
import { AuditLog } from '../audit';
import type { NewApproval } from './approval';
import { type ApprovalDto, toApprovalDto } from './approval.dto';
import { ApprovalRepository } from './approval.repository';
import { SoloLimits } from './solo-limits';

/** Takes note of what one person alone may not do. Nothing else happens until another one approves it. */
@Injectable()
export class ApprovalRequests {
  constructor(
    private readonly limits: SoloLimits,
    private readonly approvals: ApprovalRepository,
    private readonly audit: AuditLog,
    private readonly config: AppConfig,
    private readonly currency: Currency,
  ) {}

  /** In the transaction of the request: does it where the caller may do this alone, and asks for an approval otherwise. */
  async doOrAsk<T>(
    tx: EntityManager,
    request: IdempotentRequest,
    caller: Caller,
    wish: NewApproval,
    deed: () => Promise<T>,
  ): Promise<T | ApprovalDto> {
    const mayAlone = await this.limits.take(tx, caller.userId, wish.amountMinor);
    return mayAlone ? deed() : this.requestApproval(tx, request, caller, wish);
  }

  /** The request is answered 202. */
  async requestApproval(
    tx: EntityManager,
    request: IdempotentRequest,
    caller: Caller,
    wish: NewApproval,
  ): Promise<ApprovalDto> {
    const validSeconds = this.config.APPROVAL_VALID_SECONDS;
    const approval = await this.approvals.insert(tx, wish, caller.userId, validSeconds);
    const dto = toApprovalDto(approval, this.currency);
    const { id, status, action, subject, amount, terms } = dto;
    await this.audit.record(tx, caller, {
      action: 'approval.ask',
      id,
      after: { status },
      detail: { action, subject, amount, terms },
    });
    request.accept();
    return dto;
  }
}
