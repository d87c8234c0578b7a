-- The log of who did what to money or to the state of an account, with the state before and after. A
-- row is inserted in the transaction of the action. via names a trusted server that acted for a user,
-- who is the actor.
create table audit_log (
  id       bigint generated always as identity primary key,
  at       timestamptz not null default now(),
  actor_id text        not null,
  action   text        not null,
  subject  text        not null,
  detail   jsonb       not null default '{}',
  before   jsonb       not null default '{}',
  after    jsonb       not null default '{}',
  via      text
);
create index audit_log_by_subject on audit_log (subject, id);
create index audit_log_by_actor on audit_log (actor_id, id);
create trigger append_only before update or delete or truncate on audit_log
for each statement execute function refuse_change();
