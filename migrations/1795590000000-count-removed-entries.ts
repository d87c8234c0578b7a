import type { QueryRunner } from 'typeorm';
import type { Migration } from '../src/platform/postgres';

/** Entries of an archived month that the audit log has lost: each small step locks the log. */
export class CountRemovedEntries1795590000000 implements Migration {
  readonly serves = 'CheckParts1795422690801';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table audit_archive add column removed bigint not null default 0`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table audit_archive drop column removed`);
  }
}
