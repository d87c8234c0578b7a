-- The proof of an activity that is settled for good: its sums, and a digest of every row. A seal is
-- written once. last_transfer_id is the newest transfer of the activity; walked_to is the id up to
-- which the whole ledger had been read by then.
create table seal (
  activity_id      bigint      not null,
  claims           integer     not null,
  transfers        integer     not null,
  funded_minor     bigint      not null,
  credited_minor   bigint      not null,
  returned_minor   bigint      not null,
  last_transfer_id bigint      not null,
  walked_to        bigint      not null,
  version          smallint    not null,
  digest           bytea       not null,
  sealed_at        timestamptz not null default now(),
  constraint seal_pkey primary key (activity_id),
  constraint seal_adds_up check (funded_minor = credited_minor + returned_minor),
  constraint seal_digest_sha256 check (length(digest) = 32)
);
create index seal_by_walk on seal (walked_to);
create trigger append_only before update or delete or truncate on seal
for each statement execute function refuse_change();

-- The sum that the transfers of all sealed activities have left on an account, so that a balance can
-- be checked without reading the past.
create table carried (
  account_id bigint not null,
  net_minor  bigint not null,
  constraint carried_pkey primary key (account_id)
) with (fillfactor = 80);
