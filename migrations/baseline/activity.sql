-- Activities: rains of packets, from the moment that their money is in escrow.
--
-- An end is recorded step by step, so that a crash or a Redis that has lost its memory changes
-- nothing:
--
-- * ending, with its moment: the end is decided, and its kind. It is written before Redis is
--   notified; from then on the activity is never loaded as one that can be grabbed from.
-- * status, with closed_at: no claim can be confirmed any more, and the remainder is refunded.
-- * tidied_at: Redis has received all claims and holds no packets any more.
-- * forgotten_at: Redis holds nothing of the activity any more, and Postgres answers.
-- * archived_at: its rows were written to files and have left the database.
--
-- Terms and counts:
--
-- * parts: the number of parts of Redis over which the packets are dealt.
-- * payout_channel_id: the channel that pays out the credits; null where they stay in the wallet.
-- * limits: on the wins of one user; null where there are none.
-- * batches: the number of its rows in packet_batch. The newest commitment of a sponsor has no
--   successor that names it, so a missing one would not show otherwise.
-- * theme, logo: texts, colours and the logo of the page of the rain.
-- * best_luck: the numbers of the largest packets that were won, kept when the activity ends. An
--   index of claims by their amounts would cost every win.
-- * format: the lowest format whose programs know all terms that restrict who wins. Other programs
--   would let everybody in, so they refuse the activity.
--
-- activity_status_is_key forbids nothing: id alone is unique. It makes status a column of a key, so
-- that ending an activity conflicts with confirmations, which hold the key, and topping it up does
-- not (confirm.sql).
create table activity (
  id                 bigint generated always as identity primary key,
  name               text        not null,
  sponsor_id         text        not null,
  sponsor_account_id bigint      not null references account,
  escrow_account_id  bigint      not null references account,
  currency           char(3)     not null,
  total_minor        bigint      not null,
  packet_count       integer     not null,
  split              jsonb       not null,
  seed               text        not null,
  opens_at           timestamptz not null,
  closes_at          timestamptz not null,
  status             text        not null default 'active',
  created_at         timestamptz not null default now(),
  closed_at          timestamptz,
  ending             text,
  ending_at          timestamptz,
  tidied_at          timestamptz,
  forgotten_at       timestamptz,
  archived_at        timestamptz,
  parts              integer     not null default 1,
  payout_channel_id  bigint,
  admission          text        not null default 'open',
  limits             jsonb,
  batches            integer     not null default 0,
  theme              jsonb,
  logo               bytea,
  shows_best_luck    boolean     not null default false,
  best_luck          integer[],
  format             smallint    not null default 1,
  constraint activity_escrow_unique unique (escrow_account_id),
  constraint activity_status_is_key unique (id, status),
  constraint activity_total_positive check (total_minor > 0),
  constraint activity_packet_count_positive check (packet_count > 0),
  constraint activity_window_ordered check (closes_at > opens_at),
  constraint activity_status_known check (status in ('active', 'closed', 'cancelled')),
  constraint activity_closed_dated check ((status = 'active') = (closed_at is null)),
  constraint activity_ending_known check (ending in ('closed', 'cancelled')),
  constraint activity_ending_dated check ((ending is null) = (ending_at is null)),
  constraint activity_parts_positive check (parts > 0),
  constraint activity_admission_known check (admission in ('open', 'ticket'))
);

-- Sweepers ask every second which activities are to be closed, and which have ended lately and are
-- still in Redis.
create index activity_active on activity (closes_at) where status = 'active';
create index activity_ended on activity (closed_at) where status <> 'active';
create index activity_in_redis on activity (closed_at) where status <> 'active' and forgotten_at is null;

-- Operators list the activities of a sponsor, and users list activities by phase, newest first. A
-- page of open ones would otherwise walk through all that ended after them. Each creation counts the
-- active activities of its sponsor, whose number is bounded.
create index activity_by_sponsor on activity (sponsor_id, id);
create index activity_active_by_id on activity (id) where status = 'active';
create index activity_active_by_sponsor on activity (sponsor_id, id) where status = 'active';
create index activity_ended_by_id on activity (id) where status <> 'active';

-- The packets of an activity. They never change, and carry no foreign key (decision 10).
create table packet (
  activity_id  bigint  not null,
  no           integer not null,
  amount_minor bigint  not null,
  constraint packet_pkey primary key (activity_id, no),
  constraint packet_amount_positive check (amount_minor > 0)
) partition by range (activity_id);
create table packet_0 partition of packet for values from (0) to (10000);

-- Commitments to packets, published before the packets can be drawn (decision 52). The batches of a
-- sponsor are a chain: one place is given once, so no database can hold two chains. upper_rows is
-- read a hash at a time, so it is not compressed.
create table packet_batch (
  activity_id bigint  not null,
  batch_no    integer not null,
  first_no    integer not null,
  sponsor_id  text    not null,
  place       integer not null,
  terms       text    not null,
  commitment  bytea   not null,
  root        bytea   not null,
  upper_rows  bytea   not null,
  constraint packet_batch_pkey primary key (activity_id, batch_no),
  constraint packet_batch_packets_once unique (activity_id, first_no),
  constraint packet_batch_place_once unique (sponsor_id, place),
  constraint packet_batch_place_counted check (place >= 0 and batch_no >= 0),
  constraint packet_batch_hashed check (octet_length(commitment) = 32 and octet_length(root) = 32)
);
alter table packet_batch alter column upper_rows set storage external;
create trigger append_only before update or delete or truncate on packet_batch
for each statement execute function refuse_change();

-- Every read of an activity reads its plans. They are few among batches that replace void packets.
create index packet_batch_paced on packet_batch (activity_id) where terms like '%"pace":%';

-- Money and packets that were added to an activity after its creation, in one transaction with its
-- new total. Packets are numbered from first_no on, so every number tells what it was split from. The
-- part of a packet is computed from parts for ever.
--
-- A top-up may also be one packet that replaces that of a void claim (decision 21).
create table top_up (
  id                bigint generated always as identity primary key,
  activity_id       bigint      not null,
  amount_minor      bigint      not null,
  packet_count      integer     not null,
  first_no          integer     not null,
  split             jsonb       not null,
  seed              text        not null,
  created_at        timestamptz not null default clock_timestamp(),
  replaces_claim_id bigint,
  parts             integer     not null default 1,
  constraint top_up_packets_once unique (activity_id, first_no),
  constraint top_up_replaces_once unique (replaces_claim_id),
  constraint top_up_replaces_one check (replaces_claim_id is null or packet_count = 1),
  constraint top_up_amount_positive check (amount_minor > 0),
  constraint top_up_packet_count_positive check (packet_count > 0),
  constraint top_up_behind_the_first check (first_no > 1),
  constraint top_up_parts_positive check (parts > 0)
);
create trigger append_only before update or delete or truncate on top_up
for each statement execute function refuse_change();
