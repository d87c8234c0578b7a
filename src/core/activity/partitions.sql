-- Makes partitions of all tables that grow with rains where an activity has none, or, if
-- activity_id is null, where the activities that come next have none. A partition is for a given
-- number of activities, fewer where there is less room between its neighbours. Ids that the
-- sequence has left out get no partition.
--
-- It runs with the rights of the owner of the tables, because the programs' role may make none. So
-- it makes few, and none in place of one whose rows were archived, whatever the arguments are:
-- activities that are marked as archived bound a partition as its neighbours do.
--
-- An activity of a partition that exists costs two looks into the catalog, however many partitions
-- there are: a partition is named after its first activity, which most often is a multiple of
-- their number. Only where that name does not help are the bounds of all partitions read.
--
-- A partition is attached, which lets others read and write meanwhile; creating it as a part of its
-- table would not. Callers at the same time take turns. None of it waits for somebody who keeps
-- another partition locked, so bounds are read without the name of their table: with it, Postgres
-- would lock the table.
create or replace function make_partitions_$version(activity_id bigint, activities_each integer)
returns void
language plpgsql
security definer
set search_path = public, pg_temp
as $$
declare
  parents constant text[] := array['packet', 'claim', 'transfer_credit'];
  issued constant bigint := (select last_value from activity_id_seq);
  wanted bigint;
  parent text;
  part text;
  first bigint;
  beyond bigint;
begin
  if activity_id > issued + activities_each then
    raise exception 'activity % is too far ahead', activity_id using errcode = 'invalid_parameter_value';
  end if;

  foreach wanted in array case when activity_id is null then array[issued + 1, issued + activities_each] else array[activity_id] end loop
    first := wanted - wanted % activities_each;
    continue when (
      select count(*) = cardinality(parents)
        from unnest(parents) as name
        join pg_class on pg_class.oid = to_regclass(name || '_' || first)
        join pg_inherits on inhrelid = pg_class.oid and inhparent = name::regclass
       where (regexp_match(pg_get_expr(relpartbound, 0), 'TO \(''(\d+)''\)'))[1]::bigint > wanted);

    lock table only packet in share update exclusive mode;
    if (select archived_at is not null from activity where id >= wanted order by id limit 1) then
      raise exception 'activity % is archived', wanted using errcode = 'invalid_parameter_value';
    end if;
    foreach parent in array parents loop
      with neighbour as (
        select bounds[1]::bigint as first, bounds[2]::bigint as beyond
          from pg_inherits
          join pg_class on pg_class.oid = inhrelid
         cross join lateral regexp_match(pg_get_expr(relpartbound, 0), '\(''(\d+)''\) TO \(''(\d+)''\)') as bounds
         where inhparent = parent::regclass
        union all
        select id, id + 1 from activity
         where archived_at is not null and id > wanted - activities_each and id < wanted + activities_each
      )
      select greatest(wanted - wanted % activities_each, max(neighbour.beyond) filter (where neighbour.first <= wanted)),
             least(wanted - wanted % activities_each + activities_each, min(neighbour.first) filter (where neighbour.first > wanted))
        into first, beyond
        from neighbour;
      continue when first > wanted;
      part := parent || '_' || first;
      execute format('create table %I (like %I including defaults including constraints)', part, parent);
      execute format('alter table %I attach partition %I for values from (%s) to (%s)', parent, part, first, beyond);
      if parent = 'transfer_credit' then
        execute format('create trigger append_only before update or delete or truncate on %I
                        for each statement execute function refuse_change()', part);
      end if;
    end loop;
  end loop;
end $$;
