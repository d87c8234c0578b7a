import type { QueryRunner } from 'typeorm';
import type { Migration } from '../src/platform/postgres';

/**
 * A trusted server may act for a user. The entry then names both: the user, who is the actor, and
 * the server.
 */
export class AddViaToAuditLog1795405704860 implements Migration {
  readonly serves = 'NameServedPrograms1795405532278';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table audit_log add column via text;`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table audit_log drop column via;`);
  }
}
