import type { QueryRunner } from 'typeorm';
import type { Migration } from '../src/platform/postgres';

/** People look for a kind of action, or for what happened on a day, among years of entries. */
export class IndexAuditLogForPeople1795875020000 implements Migration {
  readonly transaction = false;
  readonly serves = 'CreateBaseline1795847537000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`drop index concurrently if exists audit_log_by_action`);
    await runner.query(`create index concurrently audit_log_by_action on audit_log (action, id)`);
    await runner.query(`drop index concurrently if exists audit_log_by_instant`);
    await runner.query(`create index concurrently audit_log_by_instant on audit_log (at)`);
  }
}
