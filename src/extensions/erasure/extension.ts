import type { Extension } from '../extension';
import { ErasureApiModule, ErasureWorkerModule } from './erasure.module';
import { ERASE } from './erasure.service';
import { erasureInvariants } from './invariants';

export const erasure: Extension = {
  api: ErasureApiModule,
  worker: ErasureWorkerModule,
  schema: {
    // The owner carries erasures out: a program that could rename would be able to rewrite who has won.
    grants: {
      erasure: 'select, insert (user_id, requested_by), update (user_id, withdrawn_at, withdrawn_by)',
    },
    people: { erasure: ['requested_by', 'withdrawn_by'] },
  },
  invariants: erasureInvariants,
  deeds: [ERASE],
};
