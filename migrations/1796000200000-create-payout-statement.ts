import type { QueryRunner } from 'typeorm';
import type { Migration } from '../src/platform/postgres';

/**
 * Files of channels. `payout_stated` notes which payments they have. A finding may be about an id that
 * was never sent; `line` keeps one from being found again when its file comes twice.
 */
export class CreatePayoutStatement1796000200000 implements Migration {
  readonly serves = 'LetApprovalsCreate1795600000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
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
      )`);
    await runner.query(`
      alter table payout_finding add column line text, alter column payout_id drop not null`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop table payout_stated, payout_statement`);
    await runner.query(`alter table payout_finding drop column line, alter column payout_id set not null`);
  }
}
