import type { Extension } from '../extension';
import { CodePoolApiModule, CodePoolWorkerModule } from './code-pool.module';
import { codePoolInvariants } from './invariants';

export const codePool: Extension = {
  api: CodePoolApiModule,
  worker: CodePoolWorkerModule,
  schema: {
    grants: {
      code_pool: 'select, insert, update (uploaded, wrapped_key)',
      'sequence code_pool_id_seq': 'usage',
      code: 'select, insert',
      code_free: 'select, insert, delete',
      code_reserved: 'select, insert, update (returned_at)',
      code_showing: 'select, insert',
    },
    people: { code_pool: ['sponsor_id'], code_showing: ['user_id'] },
  },
  invariants: codePoolInvariants,
};
