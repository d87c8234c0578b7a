export { type Approval, APPROVAL_STATUSES, type ApprovalStatus } from './approval';
export { ApprovalDto, toApprovalDto } from './approval.dto';
export { approvalNotFound, approvalNotPending, ownApproval } from './approval.error';
export { ApprovalModule, ApprovalWorkerModule } from './approval.module';
export { ApprovalRepository } from './approval.repository';
export { ApprovalRequests } from './approval-requests';
export { approvalSchema } from './schema';
export { SoloLimits } from './solo-limits';
