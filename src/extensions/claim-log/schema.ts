import type { SchemaPart } from '../../platform/postgres';

export const claimLogSchema: SchemaPart = {
  grants: {
    claim_leaf: 'select, insert',
    claim_salt: 'select, insert',
    claim_log_node: 'select, insert',
    claim_checkpoint: 'select, insert',
  },
};
