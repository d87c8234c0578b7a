import type { QueryRunner } from 'typeorm';
import type { Migration } from '../src/platform/postgres';

/** The log is read by what happened to something, and by the deeds of somebody. */
export class IndexAuditLog1796580010000 implements Migration {
  readonly transaction = false;
  readonly serves = 'LetApprovalsCreate1795600000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`drop index concurrently if exists audit_log_by_subject`);
    await runner.query(`create index concurrently audit_log_by_subject on audit_log (subject, id)`);
    await runner.query(`drop index concurrently if exists audit_log_by_actor`);
    await runner.query(`create index concurrently audit_log_by_actor on audit_log (actor_id, id)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop index concurrently if exists audit_log_by_actor`);
    await runner.query(`drop index concurrently if exists audit_log_by_subject`);
  }
}
