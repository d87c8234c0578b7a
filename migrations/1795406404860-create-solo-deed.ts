import type { QueryRunner } from 'typeorm';
import type { Migration } from '../src/platform/postgres';

/**
 * Amounts that each user has deposited or declared void alone, so that many small ones count as one
 * large one. Written only where `APPROVAL_ABOVE_DAILY` is set, and never changed.
 */
export class CreateSoloDeed1795406404860 implements Migration {
  readonly serves = 'NameServedPrograms1795405532278';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
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
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop table solo_deed;`);
  }
}
