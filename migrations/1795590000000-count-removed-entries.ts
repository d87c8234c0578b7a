import type { QueryRunner } from 'typeorm';
import type { Migration } from '../src/platform/postgres';

/**
 * The number of entries of an archived month that are removed from the audit log already. They are
 * removed in small steps, because each keeps the log locked against everybody who writes to it.
 */
export class CountRemovedEntries1795590000000 implements Migration {
  readonly serves = 'CheckParts1795422690801';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table audit_archive add column removed bigint not null default 0`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table audit_archive drop column removed`);
  }
}
