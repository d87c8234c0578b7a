import type { Extension } from '../extension';
import { ApprovalApiModule, ApprovalWorkerModule } from './approval.module';
import { describeApprovals } from './describe-approvals';
import { approvalInvariants } from './invariants';

export const approval: Extension = {
  api: ApprovalApiModule,
  worker: ApprovalWorkerModule,
  schema: {
    grants: {
      approval:
        'select, insert, update (expires_at, status, decided_by, decided_at, reason, result_id, approved_in)',
      solo_deed: 'select, insert',
    },
  },
  invariants: approvalInvariants,
  evidence: { requested_deed: 'select action, source_id, status, terms from approval' },
  describe: describeApprovals,
};
