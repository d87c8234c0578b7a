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
--
-- These forms leave out activities with limits, whatever the caller believes. confirm_limited takes
-- those, all users at once; a user who comes more than once in a group takes one turn after the other:
--
-- * One pass in the order of the key writes the row of win_count of each user who has none in the group, which
--   counts that first win already, and locks the rows of all others (an update that changes nothing). So all wins
--   of one user in one group come one after the other, whichever activities, programs and hosts they come from.
--   What the rows say after that is final.
-- * Only a claim that is written is counted, in the same transaction. A repeated confirmation writes
--   no claim, so it counts nothing, and neither does one that loses against another claim: a row that was
--   written for it is taken back.
-- * The day is that of a moment after the locks, and claims have that moment as well: a transaction
--   that has waited across midnight counts for the new day, and verify finds the same days. A first win has
--   the moment before its row is written, which nobody else can have counted before.
-- * The eight days nearest to today are kept: a clock that was ahead for many days leaves later ones
--   behind, which must not drop today.
--
-- If all are first wins, "firsts" is null, and nothing has to be judged. No row of win_count is ever deleted. What
-- is known of a claim is looked up by its position in the batch, or in an object of jsonb by its packet and its user:
-- after a loss of memory two users of a batch may have the same packet. A join would compare each claim of a batch
-- with each other one, as these plans use neither hashes nor merges. Rows of win_count are found by keys that are
-- materialized: if a key had columns of two tables, the plan might walk through the whole group for each user.
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
       where id in (select activity_id from reservation) and status = 'active' and limits is null
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

create or replace function limited_wins_$version(open_ids bigint[], activity_ids bigint[], packet_nos integer[], user_ids text[], amounts bigint[])
returns table (n bigint, sponsor_id text, group_name text, user_id text, time_zone text, per_user integer, per_day integer,
               counter text, turn bigint)
language sql stable
as $$
  select n, activity.sponsor_id, limits->>'group', reservation.user_id, limits->>'timeZone',
         (limits->>'perUser')::integer, (limits->>'perUserPerDay')::integer,
         case when limits is not null then jsonb_build_array(activity.sponsor_id, limits->>'group', reservation.user_id)::text end,
         row_number() over (partition by activity.sponsor_id, limits->>'group', reservation.user_id
                            order by activity.id, reservation.packet_no)
    from unnest(activity_ids, packet_nos, user_ids, amounts) with ordinality
         as reservation (activity_id, packet_no, user_id, amount_minor, n)
    join activity on activity.id = reservation.activity_id
   where activity.id = any(open_ids) and reservation.amount_minor is not null
$$;

create or replace function confirm_limited_$version(activity_ids bigint[], packet_nos integer[], user_ids text[], holds boolean[], first_ids bigint[], last_ids bigint[])
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
  open_ids bigint[];
  early timestamptz;
  moment timestamptz;
  turns integer;
  allowed bigint[];
  firsts jsonb;
  others bigint[];
  to_hold jsonb := (select jsonb_object_agg(activity_id || ' ' || packet_no || ' ' || user_id, true) filter (where hold)
                      from unnest(activity_ids, packet_nos, user_ids, holds) as r (activity_id, packet_no, user_id, hold));
begin
  for i in 1 .. cardinality(first_ids) loop
    amounts := packet_amounts_$version(activity_ids, packet_nos, first_ids[i], last_ids[i]);
    open_ids := array(
      select id from activity
       where id = any(activity_ids) and id between first_ids[i] and last_ids[i] and status = 'active'
       order by id
         for key share);

    early := clock_timestamp();
    with win as materialized (
      select * from limited_wins_$version(open_ids, activity_ids, packet_nos, user_ids, amounts)
    ), first as (
      insert into win_count (sponsor_id, group_name, user_id, wins, days)
      select sponsor_id, group_name, user_id, 1, jsonb_build_object(to_char(early at time zone time_zone, 'YYYY-MM-DD'), 1)
        from win
       where counter is not null and turn = 1
       order by sponsor_id, group_name, user_id
      on conflict (sponsor_id, group_name, user_id) do update set wins = win_count.wins where false
      returning sponsor_id, group_name, user_id
    )
    select coalesce(max(turn), 0), array_agg(n),
           case when (select count(*) from first) < count(counter) then
             (select coalesce(jsonb_object_agg(jsonb_build_array(sponsor_id, group_name, user_id)::text, true), '{}') from first)
           end
      into turns, allowed, firsts
      from win;
    moment := clock_timestamp();

    for this_turn in 1 .. turns loop
      if firsts is not null then
        select array_agg(n), array_agg(n) filter (where not is_first)
          into allowed, others
          from (select *, coalesce(this_turn = 1 and firsts ? counter, false) as is_first,
                       to_char(moment at time zone time_zone, 'YYYY-MM-DD') as today
                  from limited_wins_$version(open_ids, activity_ids, packet_nos, user_ids, amounts)
                 where turn = this_turn) as win
          left join win_count on not is_first and (win_count.sponsor_id, win_count.group_name, win_count.user_id)
                                                = (win.sponsor_id, win.group_name, win.user_id)
         where coalesce(wins < per_user, true) and coalesce(coalesce((days->>today)::integer, 0) < per_day, true);
      end if;

      return query
      with reservation as (
        select * from unnest(activity_ids, packet_nos, user_ids, amounts) with ordinality
                      as r (activity_id, packet_no, user_id, amount_minor, n)
         where n = any(allowed)
      ), confirmed as (
        insert into claim (activity_id, packet_no, user_id, amount_minor, confirmed_at)
        select activity_id, packet_no, user_id, amount_minor, case when n = any(others) then moment else early end
          from reservation order by activity_id, packet_no
        on conflict do nothing
        returning id, activity_id, packet_no, user_id, amount_minor,
                  activity_id || ' ' || packet_no || ' ' || user_id as reserved
      ), owed as (
        insert into unsettled_claim (claim_id, activity_id, user_id, amount_minor)
        select id, activity_id, user_id, amount_minor from confirmed where to_hold is null or not to_hold ? reserved
      ), held as (
        insert into dead_letter (claim_id, activity_id, user_id, amount_minor, reason, attempts)
        select id, activity_id, user_id, amount_minor, 'held', 0 from confirmed where to_hold ? reserved
      ), won_again as materialized (
        select sponsor_id, limits->>'group' as group_name, confirmed.user_id,
               to_char(moment at time zone (limits->>'timeZone'), 'YYYY-MM-DD') as today
          from confirmed
          join activity on activity.id = confirmed.activity_id
         where firsts is not null
           and not (this_turn = 1 and firsts ? jsonb_build_array(sponsor_id, limits->>'group', confirmed.user_id)::text)
      ), counted as (
        update win_count
           set wins = wins + 1,
               days = case when days ? today or days = '{}'
                           then days || jsonb_build_object(today, coalesce((days->>today)::integer, 0) + 1)
                           else (select jsonb_object_agg(key, value)
                                   from (select key, value
                                           from jsonb_each(days || jsonb_build_object(today, 1))
                                          order by abs(key::date - today::date), key limit 8) as kept)
                      end
          from won_again
         where (win_count.sponsor_id, win_count.group_name, win_count.user_id)
             = (won_again.sponsor_id, won_again.group_name, won_again.user_id)
      ), lost as materialized (
        select sponsor_id, limits->>'group' as group_name, reservation.user_id
          from reservation
          join activity on activity.id = reservation.activity_id
         where this_turn = 1 and (select count(*) from confirmed) < cardinality(allowed)
           and coalesce(firsts ? jsonb_build_array(sponsor_id, limits->>'group', reservation.user_id)::text, true)
           and not (select coalesce(jsonb_object_agg(reserved, true), '{}') from confirmed)
                   ? (activity_id || ' ' || packet_no || ' ' || reservation.user_id)
      ), without_claim as (
        update win_count set wins = 0, days = '{}'
          from lost
         where (win_count.sponsor_id, win_count.group_name, win_count.user_id)
             = (lost.sponsor_id, lost.group_name, lost.user_id)
      )
      select id, activity_id, packet_no, user_id, amount_minor from confirmed;
      exit when firsts is null;
    end loop;
  end loop;
end $$;
