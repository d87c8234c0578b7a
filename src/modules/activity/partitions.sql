-- Makes partitions of all tables that grow with rains, each for a given number of activities, until
-- there is a place for activity up_to or, if that is null, for the same number of activities that
-- are still to come. Returns the first activity that has no place yet.
--
-- It runs with the rights of the owner of the tables, because the programs' role may make none. So
-- it makes few, whatever the arguments are.
--
-- A partition is attached, which lets others read and write meanwhile; creating it as a part of its
-- table would not. Callers at the same time take turns.
create or replace function make_partitions_$version(up_to bigint, activities_each integer)
returns bigint
language plpgsql
security definer
set search_path = public, pg_temp
as $$
declare
  coming constant bigint := (select last_value + activities_each from activity_id_seq);
  parent text;
  part text;
  first bigint;
begin
  select min(bound) into first from
    (select max((regexp_match(pg_get_expr(relpartbound, pg_class.oid), 'TO \(''(\d+)''\)'))[1]::bigint) as bound
       from pg_inherits join pg_class on pg_class.oid = inhrelid
      where inhparent in ('packet'::regclass, 'claim'::regclass, 'transfer_credit'::regclass)
      group by inhparent) as bounds;
  up_to := coalesce(up_to, coming);
  if up_to < first then return first; end if;
  if up_to > coming then
    raise exception 'activity % is too far ahead', up_to using errcode = 'invalid_parameter_value';
  end if;

  lock table packet in share update exclusive mode;
  foreach parent in array array['packet', 'claim', 'transfer_credit'] loop
    loop
      select max((regexp_match(pg_get_expr(relpartbound, pg_class.oid), 'TO \(''(\d+)''\)'))[1]::bigint) into first
        from pg_inherits join pg_class on pg_class.oid = inhrelid where inhparent = parent::regclass;
      exit when up_to < first;
      part := parent || '_' || first;
      execute format('create table %I (like %I including defaults including constraints)', part, parent);
      execute format('alter table %I attach partition %I for values from (%s) to (%s)', parent, part, first, first + activities_each);
      if parent = 'transfer_credit' then
        execute format('create trigger append_only before update or delete or truncate on %I
                        for each statement execute function refuse_change()', part);
      end if;
    end loop;
  end loop;
  return first;
end $$;
