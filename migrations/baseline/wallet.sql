-- Accounts. A wallet belongs to a user, an escrow to an activity, and an outbound account to a
-- payout channel, for the money of payouts that have not ended. Funding is the world outside the
-- system: the only account whose balance may be negative.
--
-- The credits of a wallet are a chain through the partitions of the ledger (decision 43), so that
-- listing them reads no other partition. last_credit_in is the activity that was last credited to
-- the wallet, and former_credit_in is the value of last_credit_in before the settlement that set
-- it: the upsert that changes the wallet can return no other trace of it.
--
-- A balance changes in place, in the room that is left on every page.
create table account (
  id               bigint generated always as identity primary key,
  owner_id         text        not null,
  kind             text        not null,
  currency         char(3)     not null,
  balance_minor    bigint      not null default 0,
  status           text        not null default 'active',
  created_at       timestamptz not null default now(),
  last_credit_in   bigint,
  former_credit_in bigint,
  constraint account_owner_unique unique (owner_id, kind, currency),
  constraint account_kind_known check (kind in ('wallet', 'escrow', 'funding', 'outbound')),
  constraint account_status_known check (status in ('active', 'frozen')),
  constraint account_balance_not_negative check (kind = 'funding' or balance_minor >= 0)
) with (fillfactor = 80);

-- The ledger, insert-only (decision 6). Each row debits one account and credits another, so an
-- unbalanced transfer cannot be written. source_id names the reason of a transfer, once within its
-- kind: the claim of a credit or a void, the activity of a fund or a refund, the top-up, the payout,
-- the idempotency key of a deposit. previous_credit_in is the activity of the wallet's credit before
-- this one.
--
-- The credits are partitioned by ranges of activities, as packets and claims are, so that old ones
-- can be archived and the indexes stay small. A unique constraint has to contain what its table is
-- partitioned by, so transfer_once names the activity as well. Ids come from a default, not an
-- identity: a partitioned table may have one from Postgres 17 on.
create sequence transfer_id_seq;
create table transfer (
  id                 bigint      not null default nextval('transfer_id_seq'),
  kind               text        not null,
  source_id          bigint      not null,
  activity_id        bigint,
  debit_account_id   bigint      not null,
  credit_account_id  bigint      not null,
  amount_minor       bigint      not null,
  created_at         timestamptz not null default now(),
  previous_credit_in bigint,
  constraint transfer_once unique nulls not distinct (kind, source_id, activity_id),
  constraint transfer_kind_known
    check (kind in ('deposit', 'fund', 'top-up', 'credit', 'void', 'refund',
                    'payout', 'payout-paid', 'payout-refused', 'payout-returned')),
  constraint transfer_amount_positive check (amount_minor > 0),
  constraint transfer_accounts_differ check (debit_account_id <> credit_account_id),
  constraint transfer_activity_named
    check ((kind in ('deposit', 'payout', 'payout-paid', 'payout-refused', 'payout-returned')) = (activity_id is null)),
  constraint transfer_chain_of_credits check (kind = 'credit' or previous_credit_in is null)
) partition by list (kind);
alter sequence transfer_id_seq owned by transfer.id;
create index transfer_by_id on transfer (id);
create trigger append_only before update or delete or truncate on transfer
for each statement execute function refuse_change();

-- All but credits and payouts are few, and are listed by account.
create table transfer_other partition of transfer default;
create index transfer_by_credit_account on transfer_other (credit_account_id, id);
create index transfer_by_debit_account on transfer_other (debit_account_id, id);
create trigger append_only before update or delete or truncate on transfer_other
for each statement execute function refuse_change();

-- Credits have no index by account, which every payment would pay for: their chain lists them. Later
-- partitions, of this table, packet and claim, are made with activities (partitions.sql of activity).
create table transfer_credit partition of transfer for values in ('credit') partition by range (activity_id);
create trigger append_only before update or delete or truncate on transfer_credit
for each statement execute function refuse_change();
create table transfer_credit_0 partition of transfer_credit for values from (0) to (10000);
create trigger append_only before update or delete or truncate on transfer_credit_0
for each statement execute function refuse_change();

-- The name of a deposit outside the system, by which finance finds it again. Few deposits have one,
-- so it is not a column of the ledger. A row is written with its transfer.
create table deposit_reference (
  transfer_id bigint not null,
  reference   text   not null,
  constraint deposit_reference_pkey primary key (transfer_id),
  constraint deposit_reference_bounded check (char_length(reference) between 1 and 140)
);
create trigger append_only before update or delete or truncate on deposit_reference
for each statement execute function refuse_change();

-- The most money that a sponsor's wallet may bring into activities in a UTC day, and the sum that it
-- has brought in. days keeps the sums of other days than the present one: without them, a clock that
-- was days ahead would forget the day that it came back to.
create table budget (
  wallet_account_id bigint not null,
  per_day_minor     bigint not null,
  day               date   not null,
  spent_minor       bigint not null,
  days              jsonb  not null default '{}',
  constraint budget_pkey primary key (wallet_account_id),
  constraint budget_amounts check (per_day_minor > 0 and spent_minor >= 0)
);
