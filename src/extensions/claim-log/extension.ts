import type { Extension } from '../extension';
import { ClaimLogApiModule, ClaimLogWorkerModule } from './claim-log.module';
import { claimLogInvariants } from './invariants';
import { claimLogSchema } from './schema';

export const claimLog: Extension = {
  api: ClaimLogApiModule,
  worker: ClaimLogWorkerModule,
  schema: claimLogSchema,
  invariants: claimLogInvariants,
};
