import type { Extension } from '../extension';
import { ApprovalWorkerModule } from './approval.module';
import { approvalSchema } from './schema';

export const approval: Extension = { worker: ApprovalWorkerModule, schema: approvalSchema };
