import type { SchemaPart } from '../../platform/postgres';

export const approvalSchema: SchemaPart = {
  grants: {
    approval: 'select, insert, update (expires_at, status, decided_by, decided_at, result_id)',
    solo_deed: 'select, insert',
  },
};
