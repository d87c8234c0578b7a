import type { QueryRunner } from 'typeorm';
import type { Migration } from '../src/platform/postgres';

/** Counts removed entries of an archived month: small steps remove them, as each locks the log. */
export class CountRemovedEntries1795590000000 implements Migration {
  readonly serves = 'CheckParts1795422690801';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table audit_archive add column removed bigint not null default 0`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table audit_archive drop column removed`);
  }
}
