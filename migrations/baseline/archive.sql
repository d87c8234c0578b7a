-- Rows that were written to files and have left the database. A row of archive is one partition of
-- each table, and its progress: written, detached, dropped.
create table archive (
  first_activity_id  bigint      not null,
  beyond_activity_id bigint      not null,
  file               text        not null,
  packets            bigint      not null,
  claims             bigint      not null,
  credits            bigint      not null,
  credited_minor     numeric     not null,
  letters            bigint      not null,
  digest             bytea       not null,
  written_at         timestamptz not null default now(),
  detached_at        timestamptz,
  dropped_at         timestamptz,
  constraint archive_pkey primary key (first_activity_id),
  constraint archive_range_ordered check (beyond_activity_id > first_activity_id),
  constraint archive_digest_sha256 check (length(digest) = 32),
  constraint archive_detached_before_dropped check (dropped_at is null or detached_at is not null)
);

-- The sum that the credits of an archived partition have left on an account. It counts from the
-- detaching on.
create table archive_balance (
  first_activity_id bigint not null,
  account_id        bigint not null,
  net_minor         bigint not null,
  constraint archive_balance_pkey primary key (first_activity_id, account_id)
);

-- A month of the audit log. Its entries are removed in small steps, as each locks the log; removed
-- counts them.
create table audit_archive (
  month      text        not null,
  file       text        not null,
  entries    bigint      not null,
  digest     bytea       not null,
  written_at timestamptz not null default now(),
  removed_at timestamptz,
  removed    bigint      not null default 0,
  constraint audit_archive_pkey primary key (month),
  constraint audit_archive_digest_sha256 check (length(digest) = 32)
);
