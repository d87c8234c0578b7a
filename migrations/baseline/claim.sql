-- Confirmed wins. The unique constraints are the last judges of the whole system: one packet, one
-- user; one user, one packet.
create sequence claim_id_seq;
create table claim (
  id           bigint      not null default nextval('claim_id_seq'),
  activity_id  bigint      not null,
  packet_no    integer     not null,
  user_id      text        not null,
  amount_minor bigint      not null,
  confirmed_at timestamptz not null default now(),
  constraint claim_pkey primary key (id, activity_id),
  constraint claim_packet_once unique (activity_id, packet_no),
  constraint claim_user_once unique (activity_id, user_id),
  constraint claim_amount_positive check (amount_minor > 0)
) partition by range (activity_id);
alter sequence claim_id_seq owned by claim.id;
create table claim_0 partition of claim for values from (0) to (10000);

-- The wins of a user in the activities of a sponsor that have limits and belong to one group
-- (decision 54): all of them, and those of the last days, {"2026-11-26": 2}. One row per user, so
-- that nothing has to be swept; the room in its pages is for updates, which touch no index.
create table win_count (
  sponsor_id text    not null,
  group_name text    not null,
  user_id    text    not null,
  wins       integer not null default 0,
  days       jsonb   not null default '{}',
  constraint win_count_pkey primary key (sponsor_id, group_name, user_id)
) with (fillfactor = 80);

-- A row stands for an unpaid claim; deleting it is also the lock against two payments (decision 4).
create table unsettled_claim (
  claim_id     bigint      primary key,
  queued_at    timestamptz not null default now(),
  attempts     smallint    not null default 0,
  last_error   text,
  activity_id  bigint      not null,
  user_id      text        not null,
  amount_minor bigint      not null,
  constraint unsettled_claim_amount_positive check (amount_minor > 0)
);
create index unsettled_claim_by_user on unsettled_claim (user_id);

-- A claim whose settlement gave up, or that is held. Its one row is open until an operator replays
-- it, resolves it with a written reason, or declares the claim void, and opens again when a replay
-- fails too. A void claim is never paid (decision 21), so void is final.
create table dead_letter (
  id           bigint generated always as identity primary key,
  claim_id     bigint      not null,
  activity_id  bigint      not null,
  user_id      text        not null,
  amount_minor bigint      not null,
  reason       text        not null,
  last_error   text,
  attempts     integer     not null default 0,
  status       text        not null default 'open',
  created_at   timestamptz not null default now(),
  updated_at   timestamptz not null default now(),
  resolution   text,
  constraint dead_letter_claim_once unique (claim_id),
  constraint dead_letter_status_known check (status in ('open', 'replayed', 'resolved', 'void')),
  constraint dead_letter_resolution_written check ((status in ('resolved', 'void')) = (resolution is not null))
);
create index dead_letter_by_status on dead_letter (status, id);
create index dead_letter_by_activity on dead_letter (activity_id);
create index dead_letter_by_user on dead_letter (user_id, claim_id);
create trigger void_is_final before update on dead_letter
for each row when (old.status = 'void') execute function refuse_change();
