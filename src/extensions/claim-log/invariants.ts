import { type ComputedInvariant, type Invariant, ofKeptRains } from '../../core/reconciliation';
import { ClaimLogRepository } from './claim-log.repository';
import { proveLog } from './log-proof';

/**
 * Claims compared with the leaves of their activities. What comes after the last checkpoint is judged only
 * where no checkpoint follows any more. A deleted salt leaves a leaf that names nobody.
 */
const LOGGED = `
  with last as (
    select claims_to, signed_at from claim_checkpoint order by tree_size desc limit 1
  ), leaf as (
    select own.*, salt
      from activity
     cross join lateral (select * from claim_leaf where activity_id = activity.id offset 0) as own
      left join claim_salt using (leaf_index)
  )
  select count(*) as examined,
         count(*) filter (where claim.id is null
                             or leaf.confirmed_at <> claim.confirmed_at
                             or leaf.user_hash <> sha256('hongbao.claim-user.v1\\000'::bytea
                                                         || convert_to(claim.user_id, 'UTF8') || salt)
                             or (leaf.leaf_index is null
                                 and (claim.id <= claims_to
                                      or greatest(claim.confirmed_at, signed_at) < now() - interval '2 minutes'))) as breaches
    from claim
    full join leaf on leaf.activity_id = claim.activity_id and leaf.packet_no = claim.packet_no
   cross join last`;

export const claimLogInvariants: readonly (ComputedInvariant | Invariant)[] = [
  ofKeptRains({
    id: 'I25',
    title:
      'every claim up to the last checkpoint is in the log of claims once, as it was confirmed, and nothing else is',
    subject: 'claims and leaves',
    sql: LOGGED,
  }),
  {
    id: 'I26',
    title: 'the leaves and the nodes of the log of claims lead to the root that was signed last',
    subject: 'leaves',
    compute: (tx, isWhole) => proveLog(new ClaimLogRepository(tx.dataSource), tx, isWhole),
  },
];
