-- Addresses of integrators that receive events. A deleted webhook loses its secret at once, and its
-- row when a worker has emptied its queue.
create table webhook (
  id          bigint generated always as identity primary key,
  url         text        not null,
  events      text[]      not null,
  description text,
  secret      text,
  created_at  timestamptz not null default now(),
  deleted_at  timestamptz,
  constraint webhook_events_named check (cardinality(events) > 0),
  constraint webhook_secret_until_deleted check ((secret is null) = (deleted_at is not null))
);

-- Messages that are not delivered yet. A message is waiting when the queue had no room or an operator
-- has replayed it, and dead after all attempts.
create table undelivered_message (
  id         bigint generated always as identity primary key,
  webhook_id bigint      not null,
  message_id text        not null,
  event      text        not null,
  body       text        not null,
  status     text        not null,
  attempts   integer     not null default 0,
  last_error text,
  offered_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint undelivered_message_once unique (webhook_id, message_id),
  constraint undelivered_message_status_known check (status in ('waiting', 'dead'))
);
create index undelivered_message_by_status on undelivered_message (webhook_id, status, id);
