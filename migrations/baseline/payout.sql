-- Channels, by which money of users leaves the system. A channel with a URL is called; without one,
-- its back end reads what waits.
create table payout_channel (
  id                  bigint generated always as identity primary key,
  name                text        not null,
  profile             jsonb       not null,
  is_paused           boolean     not null default false,
  outbound_account_id bigint      not null,
  created_at          timestamptz not null default now(),
  deleted_at          timestamptz,
  url                 text,
  secret              text,
  former_secret       text,
  former_secret_until timestamptz
);

-- Payouts. Facts are written once; states change until the end, after which a paid one can still be
-- returned.
--
-- Each call of a channel is recorded before it is made: calls, first_sent_at, last_sent_at, and
-- leased_until, the end of the time in which no other worker makes one. not_found counts answers that
-- the channel does not know the payout. setbacks counts what went wrong for its user, which is no
-- evidence against the channel. claims is the number of wins that a payout of a rain is for; null for
-- payouts that users ask for.
create table payout (
  id                bigint generated always as identity primary key,
  channel_id        bigint      not null,
  user_id           text        not null,
  wallet_account_id bigint      not null,
  amount_minor      bigint      not null,
  state             text        not null,
  day               date        not null,
  attempt           integer     not null default 1,
  external_id       text,
  code              text,
  action            text,
  created_at        timestamptz not null default now(),
  ended_at          timestamptz,
  due_at            timestamptz not null default now(),
  leased_until      timestamptz,
  calls             integer     not null default 0,
  first_sent_at     timestamptz,
  last_sent_at      timestamptz,
  not_found         integer     not null default 0,
  setbacks          integer     not null default 0,
  claims            integer,
  constraint payout_amount_positive check (amount_minor > 0),
  constraint payout_state_known check (state in ('review', 'reserved', 'sending', 'processing', 'needs-user', 'unknown',
                                                 'paid', 'refused', 'returned')),
  constraint payout_ended check ((ended_at is not null) = (state in ('paid', 'refused', 'returned')))
);
create trigger end_is_final before update on payout
for each row
when (old.state in ('refused', 'returned') or (old.state = 'paid' and new.state not in ('paid', 'returned')))
execute function refuse_change();
create trigger kept before delete or truncate on payout
for each statement execute function refuse_change();

create index payout_by_user on payout (user_id, id);
create index payout_open on payout (channel_id, id) where ended_at is null;
create index payout_under_review on payout (id) where state = 'review';

-- Workers look for payouts that are due five times a second, however many wait for later.
create index payout_due on payout (channel_id, due_at, id) where ended_at is null and state <> 'review';
create index payout_leased on payout (channel_id, leased_until) where leased_until is not null;

-- A file of a channel is compared with what was paid since the file before it.
create index payout_paid on payout (channel_id, ended_at) where state = 'paid';

-- A channel is asked for what was sent, however many payouts wait.
create index payout_sent_due on payout (channel_id, due_at, id)
 where ended_at is null and state not in ('review', 'reserved');

-- Staff look for the few payouts whose money came back, and list those of one channel, among all.
create index payout_given_back on payout (state, id) where state in ('refused', 'returned');
create index payout_by_channel on payout (channel_id, id);

-- Each claim of a worker asks which users are in trouble, and which payout of a user is due first.
create index payout_in_trouble on payout (channel_id, user_id) where setbacks > 0 and ended_at is null;
create index payout_due_by_user on payout (user_id, channel_id, due_at, id) where ended_at is null;

-- The transfers of payouts belong to no activity. They have a partition of their own, because there
-- may be as many as credits.
create table transfer_payout partition of transfer
for values in ('payout', 'payout-paid', 'payout-refused', 'payout-returned');
create index transfer_payout_by_credit_account on transfer_payout (credit_account_id, id);
create index transfer_payout_by_debit_account on transfer_payout (debit_account_id, id);
create trigger append_only before update or delete or truncate on transfer_payout
for each statement execute function refuse_change();

-- The payouts of a user on a day, for the limits of the channel.
create table payout_day (
  channel_id   bigint  not null,
  user_id      text    not null,
  day          date    not null,
  payouts      integer not null,
  amount_minor bigint  not null,
  constraint payout_day_pkey primary key (channel_id, user_id, day)
);

-- The steps of payouts.
create table payout_event (
  id        bigint generated always as identity primary key,
  payout_id bigint      not null,
  at        timestamptz not null default clock_timestamp(),
  state     text        not null,
  detail    jsonb       not null
);
create index payout_event_by_payout on payout_event (payout_id, id);
create trigger append_only before update or delete or truncate on payout_event
for each statement execute function refuse_change();

-- Steps of payouts that their users are still to be notified of.
create table payout_news (
  payout_event_id bigint primary key
);

-- Credits of activities with a channel. A credit is unsent until it leaves with a payout or is
-- released; both are final. A sweep reads only what is unsent.
create table payout_credit (
  claim_id          bigint      primary key,
  activity_id       bigint      not null,
  channel_id        bigint      not null,
  wallet_account_id bigint      not null,
  amount_minor      bigint      not null,
  due_at            timestamptz not null default now(),
  payout_id         bigint,
  released_at       timestamptz,
  constraint payout_credit_ends_once check (payout_id is null or released_at is null)
);
create index payout_credit_due on payout_credit (channel_id, due_at)
 where payout_id is null and released_at is null;
create index payout_credit_unsent on payout_credit (wallet_account_id)
 where payout_id is null and released_at is null;
create trigger end_is_final before update on payout_credit
for each row when (old.payout_id is not null or old.released_at is not null) execute function refuse_change();
create trigger kept before delete or truncate on payout_credit
for each statement execute function refuse_change();

-- How fast a channel may be called. It is apart from payout_channel, because every claim of a worker
-- locks and changes it.
--
-- * payments_held_until: a channel whose money is used up takes no payment for a while, and answers
--   questions.
-- * refusals, slowed_at: a channel is left alone, as it asks for, when it could not take payments of
--   several users in a row.
-- * days: the sums of other days than the present one, as in budget.
create table payout_pace (
  channel_id          bigint           primary key,
  tokens              double precision not null default 1,
  factor              double precision not null default 1,
  filled_at           timestamptz      not null default now(),
  held_until          timestamptz      not null default now(),
  failures            integer          not null default 0,
  openings            integer          not null default 0,
  open_until          timestamptz,
  day                 date,
  day_minor           bigint           not null default 0,
  payments_held_until timestamptz      not null default '-infinity',
  refusals            integer          not null default 0,
  slowed_at           timestamptz      not null default '-infinity',
  days                jsonb            not null default '{}'
);

-- Files of channels, and which payouts they have.
create table payout_statement (
  id           bigint generated always as identity primary key,
  channel_id   bigint      not null,
  day          date        not null,
  handed_in_by text        not null,
  started_at   timestamptz not null default now(),
  ended_at     timestamptz,
  digest       bytea,
  result       jsonb,
  constraint payout_statement_ended
    check ((ended_at is null) = (digest is null) and (ended_at is null) = (result is null)),
  constraint payout_statement_file unique (channel_id, day, digest)
);
create table payout_stated (
  payout_id    bigint      not null,
  statement_id bigint      not null,
  at           timestamptz not null,
  constraint payout_stated_pkey primary key (payout_id)
);

-- Differences that wait for a person. Without an owner on it, two people find the same thing out, or
-- nobody does. A finding may be about an id that was never sent, so payout_id may be null; line keeps
-- a line of a file from being found again when the file comes twice.
create table payout_finding (
  id           bigint generated always as identity primary key,
  channel_id   bigint      not null,
  payout_id    bigint,
  kind         text        not null,
  detail       jsonb       not null,
  found_at     timestamptz not null default now(),
  ended_at     timestamptz,
  ended_by     text,
  resolution   text,
  line         text,
  owner        text,
  statement_id bigint,
  constraint payout_finding_ended
    check ((ended_at is null) = (ended_by is null) and (ended_at is null) = (resolution is null))
);
create trigger end_is_final before update on payout_finding
for each row when (old.ended_at is not null) execute function refuse_change();
create trigger kept before delete or truncate on payout_finding
for each statement execute function refuse_change();
create unique index payout_finding_line on payout_finding (channel_id, kind, line) where line is not null;

-- Staff read the findings about a payout with its story, also those that have ended.
create index payout_finding_about on payout_finding (payout_id, id);

-- Each line of a file that differs is a finding of its own, also where the payout has another.
create unique index payout_finding_told on payout_finding (payout_id, kind)
 where ended_at is null and line is null;

-- A wrong file leaves thousands of findings, which are ended together.
create index payout_finding_of_file on payout_finding (statement_id, id)
 where ended_at is null and statement_id is not null;
