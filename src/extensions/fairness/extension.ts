import type { Extension } from '../extension';
import { FairnessApiModule, FairnessWorkerModule } from './fairness.module';

export const fairness: Extension = {
  api: FairnessApiModule,
  worker: FairnessWorkerModule,
  schema: {
    grants: { seed_commitment: 'select, insert, update (taken_for), delete' },
    people: { seed_commitment: ['user_id'] },
  },
};
