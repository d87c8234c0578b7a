import type { QueryRunner } from 'typeorm';
import type { Migration } from '../src/platform/postgres';

/**
 * The wins of a user in the activities of a sponsor that have limits and belong to one group: all of
 * them, and those of the last days, `{"2026-11-26": 2}`. One row per user, so that nothing has to be
 * swept; the room in its pages is for updates, which touch no index.
 */
export class CreateWinCount1796520010000 implements Migration {
  readonly serves = 'LetApprovalsCreate1795600000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table win_count (
        sponsor_id text    not null,
        group_name text    not null,
        user_id    text    not null,
        wins       integer not null default 0,
        days       jsonb   not null default '{}',
        constraint win_count_pkey primary key (sponsor_id, group_name, user_id)
      ) with (fillfactor = 80)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop table win_count`);
  }
}
