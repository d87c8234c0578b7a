import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Confirms reservations: `activity_ids[i]`, `packet_nos[i]`, `user_ids[i]`. Returns the claims that
 * were written.
 *
 * - The unique constraints of `claim` decide who gets a packet, and nothing else does.
 * - Amounts come from `packet`, never from Redis.
 * - FOR KEY SHARE on the activity conflicts with whatever ends it, and with nothing else. Ending
 *   takes the row FOR UPDATE, and changes `status`, which is part of a key. A claim is therefore
 *   committed before the refund is computed, or not at all: a confirmation that waited for the end
 *   checks the status again. A top-up changes no key, so neither waits for the other. (FOR SHARE
 *   made top-ups of a hot rain wait for ever.)
 * - The row of an unpaid claim is written with the claim, so that a crash right after the commit
 *   cannot hide a claim from the sweeper.
 *
 * Rows are locked in the order of their packets. Where Redis has lost its memory, two batches may
 * hold the same users with other packets: one of them may then lose a deadlock.
 */
const confirming = (lock: string, onConflict: string) => `
  with reservation as (
    select * from unnest(activity_ids, packet_nos, user_ids) as r (activity_id, packet_no, user_id)
  ), open_activity as (
    select id from activity
     where id in (select activity_id from reservation) and status = 'active'
     order by id
       ${lock}
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

/** `1700000001200-confirm-functions` explains why these are functions with own settings. */
const confirmFunction = (name: string, lock: string, onConflict: string) => `
  create or replace function ${name}(activity_ids bigint[], packet_nos integer[], user_ids text[])
  returns setof claim
  language plpgsql
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  as $$ begin return query ${confirming(lock, onConflict)}; end $$`;

async function replaceFunctions(runner: QueryRunner, lock: string): Promise<void> {
  await runner.query(confirmFunction('confirm_all', lock, ''));
  await runner.query(confirmFunction('confirm_free', lock, 'on conflict do nothing'));
}

/**
 * `activity_status_is_key` forbids nothing: `id` alone is unique. It makes `status` a column of a
 * key, so that an update of it conflicts with the locks of transactions that hold the key.
 *
 * Source: PostgreSQL documentation, chapter "Explicit Locking", row-level locks.
 */
export class ConfirmBesideTopUps1795345546117 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table activity add constraint activity_status_is_key unique (id, status)');
    await replaceFunctions(runner, 'for key share');
  }

  async down(runner: QueryRunner): Promise<void> {
    await replaceFunctions(runner, 'for share');
    await runner.query('alter table activity drop constraint activity_status_is_key');
  }
}
