import { functionFile, type SchemaPart } from '../../../platform/postgres';

export const confirmFile = functionFile(__dirname, 'confirm.sql');

export const grabSchema: SchemaPart = {
  grants: {
    claim: 'select, insert',
    'sequence claim_id_seq': 'usage',
    win_count: 'select, insert, update (wins, days)',
  },
  functions: [confirmFile],
  people: { claim: ['user_id'], win_count: ['sponsor_id', 'user_id'] },
  underWay: `
    select 'activity' as what, id::text from activity
     where forgotten_at is null and exists (select from claim where activity_id = activity.id and user_id = $1)`,
};
