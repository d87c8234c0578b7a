import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Confirms reservations: `activity_ids[i]`, `packet_nos[i]`, `user_ids[i]`. Returns the claims that
 * were written.
 *
 * - The unique constraints of `claim` decide who gets a packet, and nothing else does.
 * - Amounts come from `packet`, never from Redis.
 * - FOR SHARE on the activity conflicts with the lock that closing takes. A claim is therefore
 *   committed before the refund is computed or not at all. (FOR KEY SHARE would not conflict: a
 *   late claim could commit after the refund.)
 * - The row of an unpaid claim is written with the claim, so that a crash right after the commit
 *   cannot hide a claim from the sweeper.
 *
 * Rows are locked in the order of their packets. Where Redis has lost its memory, two batches may
 * hold the same users with other packets, and no order suits both unique constraints: one of them
 * may then lose a deadlock.
 */
const confirming = (onConflict: string) => `
  with reservation as (
    select * from unnest(activity_ids, packet_nos, user_ids) as r (activity_id, packet_no, user_id)
  ), open_activity as (
    select id from activity
     where id in (select activity_id from reservation) and status = 'active'
     order by id
       for share
  ), confirmed as (
    insert into claim (activity_id, packet_no, user_id, amount_minor)
    select reservation.activity_id, reservation.packet_no, reservation.user_id, packet.amount_minor
      from reservation
      join open_activity on open_activity.id = reservation.activity_id
      join packet on packet.activity_id = reservation.activity_id and packet.no = reservation.packet_no
     order by reservation.activity_id, reservation.packet_no
    ${onConflict}
    returning *
  ), unsettled as (
    insert into unsettled_claim (claim_id) select id from confirmed
  )
  select * from confirmed`;

/**
 * These are functions because a function is planned once per connection, also through PgBouncer,
 * and planning costs a small batch as much as its execution. The settings make that plan right for
 * every size of the tables: one made while `packet` was small would scan it for ever.
 */
const confirmFunction = (name: string, onConflict: string) => `
  create function ${name}(activity_ids bigint[], packet_nos integer[], user_ids text[])
  returns setof claim
  language plpgsql
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  as $$ begin return query ${confirming(onConflict)}; end $$`;

/**
 * `confirm_all` refuses the whole batch when one packet or user already has a claim. `confirm_free`
 * leaves those out, but costs all others a quarter more of Postgres' processor time.
 */
export class ConfirmFunctions1700000001200 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(confirmFunction('confirm_all', ''));
    await runner.query(confirmFunction('confirm_free', 'on conflict do nothing'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop function confirm_free(bigint[], integer[], text[]);
      drop function confirm_all(bigint[], integer[], text[]);
    `);
  }
}
