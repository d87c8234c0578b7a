-- Requests of one user that another user decides, once. A row holds all that the action needs, with
-- the source of its transfer, so that the ledger takes it once. It stays on record. result_id is the
-- activity or the top-up that an approval of a creation led to.
create table approval (
  id           bigint generated always as identity primary key,
  action       text        not null,
  subject_id   text        not null,
  source_id    bigint      not null,
  amount_minor bigint      not null,
  terms        jsonb       not null,
  asked_by     text        not null,
  asked_at     timestamptz not null default now(),
  expires_at   timestamptz not null,
  status       text        not null default 'pending',
  decided_by   text,
  decided_at   timestamptz,
  result_id    bigint,
  constraint approval_action_known
    check (action in ('wallet.deposit', 'dead-letter.void', 'activity.create', 'activity.top-up',
                      'payout.reserve', 'payout.resolve')),
  constraint approval_status_known check (status in ('pending', 'approved', 'rejected')),
  constraint approval_amount_positive check (amount_minor > 0),
  constraint approval_decision_signed check ((status = 'pending') = (decided_by is null)),
  constraint approval_decision_dated check ((status = 'pending') = (decided_at is null)),
  constraint approval_decided_in_time check (decided_at < expires_at),
  constraint approval_by_another check (decided_by <> asked_by),
  constraint approval_result_named
    check ((result_id is not null) = (status = 'approved' and action in ('activity.create', 'activity.top-up')))
);
create trigger decision_is_final before update on approval
for each row when (old.status <> 'pending') execute function refuse_change();
create trigger kept before delete or truncate on approval
for each statement execute function refuse_change();

-- A payout whose resolution waits for a second person is not read by its channel.
create index approval_pending_source on approval (action, source_id) where status = 'pending';

-- Staff read what waits for a second person among all that has lapsed, and list the approvals of one
-- status among all.
create index approval_by_status on approval (status, id);
create index approval_pending on approval (expires_at) where status = 'pending';

-- Amounts that each user has deposited or declared void alone, so that many small ones count as one
-- large one. Written only where APPROVAL_ABOVE_DAILY is set.
create table solo_deed (
  id           bigint generated always as identity primary key,
  done_by      text        not null,
  amount_minor bigint      not null,
  done_at      timestamptz not null default now(),
  constraint solo_deed_amount_positive check (amount_minor > 0)
);
create index solo_deed_of_person on solo_deed (done_by, done_at);
create trigger append_only before update or delete or truncate on solo_deed
for each statement execute function refuse_change();
