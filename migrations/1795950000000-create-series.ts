import type { QueryRunner } from 'typeorm';
import type { Migration } from '../src/platform/postgres';

/**
 * Activities that repeat by a rule. A series knows when its next occurrence opens, and when a program has to look at it.
 * The outcome of an occurrence is written once, in the transaction that creates its activity or gives it up:
 * `series_occurrence_once` is the last judge.
 */
export class CreateSeries1795950000000 implements Migration {
  readonly serves = 'CreateBaseline1795847537000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table series (
        id                 bigint generated always as identity,
        sponsor_id         text        not null,
        terms              jsonb       not null,
        rrule              text        not null,
        time_zone          text        not null,
        start              text        not null,
        duration_seconds   integer     not null,
        create_ahead_hours integer     not null,
        count              integer,
        until              timestamptz,
        status             text        not null default 'active',
        actor_id           text        not null,
        actor_role         text        not null,
        decided            integer     not null default 0,
        next_opens_at      timestamptz,
        look_at            timestamptz,
        refusal            text,
        refusal_detail     text,
        created_at         timestamptz not null default now(),
        constraint series_pkey primary key (id),
        constraint series_status_known check (status in ('active', 'paused', 'ended')),
        constraint series_bounded check (num_nulls(count, until) = 1),
        constraint series_ended_without_next check ((status = 'ended') = (next_opens_at is null)),
        constraint series_next_looked_at check ((next_opens_at is null) = (look_at is null))
      );
      create index series_by_sponsor on series (sponsor_id, id);
      create index series_due on series (look_at, id) where look_at is not null;

      create table series_occurrence (
        series_id   bigint      not null,
        no          integer     not null,
        opens_at    timestamptz not null,
        closes_at   timestamptz not null,
        activity_id bigint,
        reason      text,
        detail      text,
        decided_at  timestamptz not null default clock_timestamp(),
        constraint series_occurrence_pkey primary key (series_id, no),
        constraint series_occurrence_once unique (series_id, opens_at),
        constraint series_occurrence_activity_once unique (activity_id),
        constraint series_occurrence_counted check (no > 0),
        constraint series_occurrence_created_or_missed check ((activity_id is null) = (reason is not null))
      );
      create trigger append_only before update or delete or truncate on series_occurrence
      for each statement execute function refuse_change()`);
  }
}
