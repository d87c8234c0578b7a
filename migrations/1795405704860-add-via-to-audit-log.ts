import type { QueryRunner } from 'typeorm';
import type { Migration } from '../src/platform/postgres';

/** Names a trusted server that acted for a user, who is the actor. */
export class AddViaToAuditLog1795405704860 implements Migration {
  readonly serves = 'NameServedPrograms1795405532278';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table audit_log add column via text;`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table audit_log drop column via;`);
  }
}
