import type { QueryRunner } from 'typeorm';
import type { Migration } from '../src/platform/postgres';

/** Payouts: money of users on its way out. Facts are written once; states change until the end. */
export class CreatePayout1795700000000 implements Migration {
  readonly serves = 'LetApprovalsCreate1795600000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(CHANNELS);
    await runner.query(PAYOUTS);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop table payout_finding, payout_event, payout_day, payout, payout_channel`);
  }
}

const CHANNELS = `
  create table payout_channel (
    id                  bigint generated always as identity primary key,
    name                text        not null,
    profile             jsonb       not null,
    is_paused           boolean     not null default false,
    outbound_account_id bigint      not null,
    created_at          timestamptz not null default now(),
    deleted_at          timestamptz
  )`;

const PAYOUTS = `
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
    constraint payout_amount_positive check (amount_minor > 0),
    constraint payout_state_known check (state in ('review', 'reserved', 'sending', 'processing', 'needs-user', 'unknown',
                                                   'paid', 'refused', 'returned')),
    constraint payout_ended check ((ended_at is not null) = (state in ('paid', 'refused', 'returned')))
  );
  create index payout_by_user on payout (user_id, id);
  create index payout_open on payout (channel_id, id) where ended_at is null;
  create index payout_under_review on payout (id) where state = 'review';
  create index payout_open_by_user on payout (user_id) where ended_at is null;
  create trigger end_is_final before update on payout
  for each row when (old.state in ('refused', 'returned') or (old.state = 'paid' and new.state not in ('paid', 'returned')))
  execute function refuse_change();
  create trigger kept before delete or truncate on payout
  for each statement execute function refuse_change();
  create table payout_day (
    channel_id   bigint  not null,
    user_id      text    not null,
    day          date    not null,
    payouts      integer not null,
    amount_minor bigint  not null,
    constraint payout_day_pkey primary key (channel_id, user_id, day)
  );
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
  create table payout_finding (
    id         bigint generated always as identity primary key,
    channel_id bigint      not null,
    payout_id  bigint      not null,
    kind       text        not null,
    detail     jsonb       not null,
    found_at   timestamptz not null default now(),
    ended_at   timestamptz,
    ended_by   text,
    resolution text,
    constraint payout_finding_ended check ((ended_at is null) = (ended_by is null) and (ended_at is null) = (resolution is null))
  );
  create unique index payout_finding_open on payout_finding (payout_id, kind) where ended_at is null;
  create trigger end_is_final before update on payout_finding
  for each row when (old.ended_at is not null) execute function refuse_change();
  create trigger kept before delete or truncate on payout_finding
  for each statement execute function refuse_change()`;
