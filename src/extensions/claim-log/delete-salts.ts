import type { EntityManager } from 'typeorm';
import type { ForgottenClaim } from '../extension';
import { LOG_LOCK } from './claim-log.repository';

/**
 * Without its salt a leaf names nobody. The leaves stay, and with them the proofs of all others. A leader that has read
 * claims under the id has logged them before this statement runs, and none reads any until this transaction ends.
 */
export async function deleteSalts(tx: EntityManager, claims: readonly ForgottenClaim[]): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(${LOG_LOCK})`);
  await tx.query(
    `delete from claim_salt
      where leaf_index in (select leaf_index
                             from unnest($1::bigint[], $2::integer[]) as claim (activity_id, packet_no)
                             join claim_leaf using (activity_id, packet_no))`,
    [claims.map(({ activityId }) => activityId), claims.map(({ packetNo }) => packetNo)],
  );
}
