import { functionFile, type SchemaPart } from '../../platform/postgres';

export const partitionsFile = functionFile(__dirname, 'partitions.sql');

export const activitySchema: SchemaPart = {
  grants: {
    activity:
      'select, insert, update (status, closes_at, closed_at, total_minor, packet_count, ending, ending_at, tidied_at, forgotten_at, batches, theme, logo, best_luck)',
    'sequence activity_id_seq': 'usage',
    packet: 'select, insert',
    top_up: 'select, insert',
    packet_batch: 'select, insert',
  },
  functions: [partitionsFile],
  people: { activity: ['sponsor_id'], packet_batch: ['sponsor_id'] },
  underWay: `select 'activity' as what, id::text from activity where sponsor_id = $1 and forgotten_at is null`,
};
