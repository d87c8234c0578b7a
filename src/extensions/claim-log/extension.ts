import type { Extension } from '../extension';
import { ClaimLogApiModule, ClaimLogWorkerModule } from './claim-log.module';
import { deleteSalts } from './delete-salts';
import { claimLogInvariants } from './invariants';

export const claimLog: Extension = {
  api: ClaimLogApiModule,
  worker: ClaimLogWorkerModule,
  schema: {
    grants: {
      claim_leaf: 'select, insert',
      claim_salt: 'select, insert',
      claim_log_node: 'select, insert',
      claim_checkpoint: 'select, insert',
      claim_cosignature: 'select, insert',
    },
  },
  invariants: claimLogInvariants,
  forgetting: { forgetClaims: deleteSalts },
};
