-- The keys by which sponsors sign tickets. A deleted key has no secret.
create table ticket_key (
  id         bigint generated always as identity primary key,
  sponsor_id text        not null,
  secret     text,
  created_at timestamptz not null default now(),
  deleted_at timestamptz,
  constraint ticket_key_deleted_without_secret check ((deleted_at is null) = (secret is not null))
);
create index ticket_key_live on ticket_key (sponsor_id) where deleted_at is null;

-- The keys that a sponsor has had within a day are counted, deleted ones included.
create index ticket_key_of_day on ticket_key (sponsor_id, created_at);
