import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A claim whose settlement gave up. Its one row is open until an operator replays it or resolves it
 * with a written reason, and opens again when a replay fails too.
 */
export class CreateDeadLetter1700000000600 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
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
        constraint dead_letter_status_known check (status in ('open', 'replayed', 'resolved')),
        constraint dead_letter_resolution_written check ((status = 'resolved') = (resolution is not null))
      );
      create index dead_letter_by_status on dead_letter (status, id);
      create index dead_letter_by_activity on dead_letter (activity_id);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop table dead_letter;`);
  }
}
