import type { EntityManager } from 'typeorm';
import type { ForgottenClaim } from '../extension';

/** Whatever somebody has written is deleted with their id. */
export async function deleteThanks(tx: EntityManager, claims: readonly ForgottenClaim[]): Promise<void> {
  await tx.query(
    `delete from thanks
      where (activity_id, packet_no) in (select * from unnest($1::bigint[], $2::integer[]))`,
    [claims.map(({ activityId }) => activityId), claims.map(({ packetNo }) => packetNo)],
  );
}
