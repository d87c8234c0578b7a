import type { Extension } from '../extension';
import { ApprovalApiModule, ApprovalWorkerModule } from './approval.module';
import { describeApprovals } from './describe-approvals';
import { approvalInvariants } from './invariants';

/** The deeds whose subject is a person. */
const ABOUT_PEOPLE = `('wallet.deposit', 'wallet.reverse-deposit', 'activity.create', 'user.erase')`;

export const approval: Extension = {
  api: ApprovalApiModule,
  worker: ApprovalWorkerModule,
  schema: {
    grants: {
      approval:
        'select, insert, update (expires_at, status, decided_by, decided_at, reason, result_id, approved_in)',
      solo_deed: 'select, insert',
    },
    people: {
      approval: ['asked_by', 'decided_by', 'terms', `subject_id where action in ${ABOUT_PEOPLE}`],
      solo_deed: ['done_by'],
    },
    underWay: `
      select 'approval' as what, id::text from approval
       where status = 'pending' and expires_at > now() and (action <> 'user.erase' or subject_id <> $1)
         and (asked_by = $1 or terms->>'userId' = $1 or (subject_id = $1 and action in ${ABOUT_PEOPLE}))`,
  },
  invariants: approvalInvariants,
  evidence: {
    requested_deed:
      'select action, subject_id, source_id, status, terms, asked_by, decided_by, decided_at from approval',
  },
  describe: describeApprovals,
};
