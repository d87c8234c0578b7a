import type { Extension } from '../extension';
import { ApprovalWorkerModule } from './approval.module';
import { approvalInvariants } from './invariants';
import { approvalSchema } from './schema';

export const approval: Extension = {
  worker: ApprovalWorkerModule,
  schema: approvalSchema,
  invariants: approvalInvariants,
};
