import { Module } from '@nestjs/common';
import { AuditModule } from '../../core/audit';
import { SecondPersonModule } from '../../core/second-person';
import { ApprovalController, MyApprovalsController } from './approval.controller';
import { ApprovalRepository } from './approval.repository';
import { ApprovalRequests } from './approval-requests';
import { ApprovalService } from './approval.service';
import { ApprovalSweep } from './approval-sweep';
import { ApprovalViews } from './approval-views';
import { SoloDeedRepository } from './solo-deed.repository';
import { SoloLimits } from './solo-limits';

/** Registers the rules of the second person: workers request deeds as well. */
@Module({
  imports: [AuditModule, SecondPersonModule],
  providers: [ApprovalRepository, ApprovalRequests, ApprovalViews, SoloDeedRepository, SoloLimits],
  exports: [ApprovalRepository, ApprovalViews],
})
class ApprovalModule {}

@Module({
  imports: [ApprovalModule, AuditModule, SecondPersonModule],
  controllers: [ApprovalController, MyApprovalsController],
  providers: [ApprovalService],
})
export class ApprovalApiModule {}

@Module({ imports: [ApprovalModule], providers: [ApprovalSweep] })
export class ApprovalWorkerModule {}
