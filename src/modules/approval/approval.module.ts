import { Module } from '@nestjs/common';
import { AuditModule } from '../audit';
import { ApprovalRepository } from './approval.repository';
import { ApprovalRequests } from './approval-requests';
import { SoloDeedRepository } from './solo-deed.repository';
import { SoloLimits } from './solo-limits';

/** What waits for a second person. `review` knows how it is decided, and depends on those who ask. */
@Module({
  imports: [AuditModule],
  providers: [ApprovalRepository, ApprovalRequests, SoloDeedRepository, SoloLimits],
  exports: [ApprovalRepository, ApprovalRequests],
})
export class ApprovalModule {}
