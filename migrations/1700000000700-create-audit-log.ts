import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The log of who did what to money or to the state of an account. Rows are only ever inserted, in
 * the transaction of the action.
 */
export class CreateAuditLog1700000000700 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table audit_log (
        id         bigint generated always as identity primary key,
        at         timestamptz not null default now(),
        actor_id   text        not null,
        action     text        not null,
        subject    text        not null,
        detail     jsonb       not null default '{}'
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop table audit_log;`);
  }
}
