-- Confirms reservations: activity_ids[i], packet_nos[i], user_ids[i]. Returns the claims that were
-- written. Every activity lies in one of the stretches first_ids[j] to last_ids[j], which are in
-- order.
--
-- * The unique constraints of claim decide who gets a packet, and nothing else does.
-- * Amounts come from packet, never from Redis.
-- * FOR KEY SHARE on the activity conflicts with every end of the activity, and with nothing else.
--   Ending takes the row FOR UPDATE, and changes status, which is part of a key
--   (activity_status_is_key). A claim is therefore committed before the refund is computed, or not
--   at all: a confirmation that waited for the end looks at the status again. A top-up changes no
--   key, and neither waits for confirmations nor keeps them waiting. (FOR SHARE would keep it
--   waiting: on a hot rain confirmations overlap without a pause, and those that share a row
--   overtake the one that waits to write it.)
-- * unsettled_claim is written with claim, so that a crash right after the commit cannot hide a
--   claim from the sweeper.
--
-- Rows are locked in the order of their packets. If Redis has lost its memory, two batches may hold
-- the same users with other packets, and no order suits both unique constraints: one of them may
-- then lose a deadlock.
--
-- It is a function because of the plan. Planning costs a small batch as much as its execution, and
-- a function is planned once per connection, also through PgBouncer. Such a plan must be right for
-- every size that the tables will ever have. Without the settings, Postgres might go on planning,
-- and a plan that was made while packet was small would scan it for ever.
--
-- Such a plan locks every partition of each table that it reads, before it knows which of them it
-- needs: one VACUUM FULL of an old partition would hold up all winners, and a thousand partitions
-- would make each commit slow. An insert locks only the partition of its row. So the plan that is
-- kept reads no partitioned table. The amounts are read by a statement of their own, which is
-- planned each time, with the numbers of the stretch in it: planning then leaves out, unlocked, all
-- partitions but those of the stretch. That statement is small, because its planning is paid for by
-- every batch. With a single activity it looks packets up by a constant, which costs less still.
--
-- The result names its columns: a column that a migration adds to claim must not change the result
-- of a call that is running.
--
-- There are three forms. confirm_all refuses the whole batch with unique_violation if one packet or
-- user already has a claim. confirm_free leaves those out. For that it looks at every constraint
-- before it writes, which costs all others a quarter more of Postgres' processor time. confirm_held
-- is confirm_free for wins that are to be held: a dead letter with this reason takes the place of
-- the row in unsettled_claim, so settlement never sees them before staff release them. Their names
-- end in $version, which stands for this very text: programs of two releases each call their own.
create or replace function packet_amounts_$version(activity_ids bigint[], packet_nos integer[], first_id bigint, last_id bigint)
returns bigint[]
language plpgsql stable
set plan_cache_mode = force_custom_plan
as $$
declare
  only_id constant bigint := case when first_id = last_id then first_id end;
begin
  return array(
    select (select amount_minor from packet
             where activity_id = coalesce(only_id, reservation.activity_id) and no = reservation.packet_no
               and (only_id is not null or activity_id between first_id and last_id))
      from unnest(activity_ids, packet_nos) as reservation (activity_id, packet_no));
end $$;

do $do$
declare
  form record;
begin
  for form in
    select * from (values
      ('confirm_all_$version', '', 'unsettled_claim (claim_id, activity_id, user_id, amount_minor)', ''),
      ('confirm_free_$version', 'on conflict do nothing', 'unsettled_claim (claim_id, activity_id, user_id, amount_minor)', ''),
      ('confirm_held_$version', 'on conflict do nothing',
       'dead_letter (claim_id, activity_id, user_id, amount_minor, reason, attempts)', $held$, 'held', 0$held$)
    ) as forms (name, on_conflict, owed, why)
  loop
    execute format($form$
create or replace function %I(activity_ids bigint[], packet_nos integer[], user_ids text[], first_ids bigint[], last_ids bigint[])
returns table (id bigint, activity_id bigint, packet_no integer, user_id text, amount_minor bigint)
language plpgsql
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
#variable_conflict use_column
declare
  amounts bigint[];
begin
  for i in 1 .. cardinality(first_ids) loop
    amounts := packet_amounts_$version(activity_ids, packet_nos, first_ids[i], last_ids[i]);
    return query
    with reservation as (
      select * from unnest(activity_ids, packet_nos, user_ids, amounts) as r (activity_id, packet_no, user_id, amount_minor)
       where activity_id between first_ids[i] and last_ids[i] and amount_minor is not null
    ), open_activity as (
      select id from activity
       where id in (select activity_id from reservation) and status = 'active'
       order by id
         for key share
    ), confirmed as (
      insert into claim (activity_id, packet_no, user_id, amount_minor)
      select reservation.activity_id, packet_no, user_id, amount_minor
        from reservation
        join open_activity on open_activity.id = reservation.activity_id
       order by reservation.activity_id, packet_no
      %s
      returning id, activity_id, packet_no, user_id, amount_minor
    ), owed as (
      insert into %s
      select id, activity_id, user_id, amount_minor%s from confirmed
    )
    select * from confirmed;
  end loop;
end $$
$form$, form.name, form.on_conflict, form.owed, form.why);
  end loop;
end $do$;
