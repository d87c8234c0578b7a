import { Module } from '@nestjs/common';
import { AuditModule } from '../../core/audit';
import { ApprovalRepository } from './approval.repository';
import { ApprovalRequests } from './approval-requests';
import { ApprovalSweep } from './approval-sweep';
import { SoloDeedRepository } from './solo-deed.repository';
import { SoloLimits } from './solo-limits';

/** Requests that wait for a second person. `review` decides them, and depends on the requesters. */
@Module({
  imports: [AuditModule],
  providers: [ApprovalRepository, ApprovalRequests, SoloDeedRepository, SoloLimits],
  exports: [ApprovalRepository, ApprovalRequests, SoloLimits],
})
export class ApprovalModule {}

@Module({ providers: [ApprovalSweep] })
export class ApprovalWorkerModule {}
