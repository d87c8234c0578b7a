import type { Extension } from '../extension';
import { ApprovalApiModule, ApprovalWorkerModule } from './approval.module';
import { describeApprovals } from './describe-approvals';
import { approvalInvariants } from './invariants';
import { approvalSchema } from './schema';

export const approval: Extension = {
  api: ApprovalApiModule,
  worker: ApprovalWorkerModule,
  schema: approvalSchema,
  invariants: approvalInvariants,
  describe: describeApprovals,
};
