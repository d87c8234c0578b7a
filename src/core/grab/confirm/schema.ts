import { functionFile, type SchemaPart } from '../../../platform/postgres';

export const confirmFile = functionFile(__dirname, 'confirm.sql');

export const grabSchema: SchemaPart = {
  grants: {
    claim: 'select, insert',
    'sequence claim_id_seq': 'usage',
    win_count: 'select, insert, update (wins, days)',
  },
  functions: [confirmFile],
};
