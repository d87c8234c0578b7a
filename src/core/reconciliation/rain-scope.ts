const COLUMNS =
  'id, kind, source_id, activity_id, debit_account_id, credit_account_id, amount_minor, created_at, previous_credit_in';

/**
 * The transfers that activities (rows with `escrow_account_id`) and their claims (rows with `id`
 * and `activity_id`) explain.
 *
 * Transfers have no index by activity, because every settlement would pay for it. An index by
 * account finds the transfers into an escrow and, except credits, those out of one. A credit is
 * found by its claim, in the partition of its activity. A transfer that neither way finds is
 * missing from the sums, or {@link WALK} finds it.
 *
 * `offset 0` keeps the planner from replacing an index lookup per row with a pass over the whole
 * ledger, which looks cheaper for a hundred thousand claims, or without statistics: each page would
 * make it again. The constant `'credit'` lets statements about other kinds skip the claims.
 */
export const transfersOf = (activities: string, claims: string): string => `
    select moved.* from ${activities} as rain cross join lateral (
      select ${COLUMNS} from transfer where credit_account_id = rain.escrow_account_id and kind <> 'credit' offset 0
    ) as moved
    union all
    select moved.* from ${activities} as rain cross join lateral (
      select ${COLUMNS} from transfer where debit_account_id = rain.escrow_account_id and kind <> 'credit' offset 0
    ) as moved
    union all
    select ${COLUMNS.replace('kind', `'credit'::text as kind`)} from (
      select moved.* from ${claims} as won cross join lateral (
        select ${COLUMNS} from transfer
         where kind = 'credit' and source_id = won.id and activity_id = won.activity_id offset 0
      ) as moved
    ) as credit`;

/**
 * Limits a statement about all data to some activities: `$1` are their ids.
 * A name in `with` hides a table: it holds the rows of these alone.
 */
export const withinRains = (sql: string): string => `
  with ${RAINS}
  select * from (${sql}) as finding`;

/** Limits a statement about all data to activities whose rows are not archived. */
export const amongKept = (sql: string): string => `
  with gone as (select id from activity where archived_at is not null),
  activity as not materialized (select * from activity where archived_at is null),
  top_up as not materialized (select * from top_up where activity_id not in (select id from gone)),
  dead_letter as not materialized (select * from dead_letter where activity_id not in (select id from gone))
  select * from (${sql}) as finding`;

export const RAINS = `
  activity as not materialized (select * from activity where id = any($1::bigint[])),
  packet as not materialized (select * from packet where activity_id = any($1::bigint[])),
  claim as not materialized (select * from claim where activity_id = any($1::bigint[])),
  top_up as not materialized (select * from top_up where activity_id = any($1::bigint[])),
  dead_letter as not materialized (select * from dead_letter where activity_id = any($1::bigint[])),
  unsettled_claim as not materialized (select * from unsettled_claim where activity_id = any($1::bigint[])),
  transfer as not materialized (${transfersOf('activity', 'claim')}
  )`;

/**
 * Counts wrong transfers with `$1` < id <= `$2`. A transfer is wrong in four cases: its activity
 * was sealed before it was written; its activity does not exist; it is a credit without a claim of
 * its activity; it bypasses the escrow of its activity.
 */
export const WALK = `
  select count(*) as examined,
         count(*) filter (where transfer.activity_id is not null
                            and (activity.id is null
                                 or seal.last_transfer_id < transfer.id
                                 or (kind = 'credit' and claim.activity_id is distinct from transfer.activity_id)
                                 or (kind in ('fund', 'top-up')
                                     and credit_account_id is distinct from activity.escrow_account_id)
                                 or (kind in ('void', 'refund')
                                     and debit_account_id is distinct from activity.escrow_account_id)))
         as breaches
    from transfer
    left join activity on activity.id = transfer.activity_id
    left join seal on seal.activity_id = transfer.activity_id
    left join lateral (
      select activity_id from claim
       where transfer.kind = 'credit' and id = transfer.source_id and activity_id = transfer.activity_id offset 0
    ) as claim on true
   where transfer.id > $1 and transfer.id <= $2`;
