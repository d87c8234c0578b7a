import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Old and new programs run side by side from now on, so the database records which ones may.
 *
 * `serves` is the oldest migration whose programs go on running after a migration; null means that
 * only programs that know the migration itself do.
 *
 * Functions of several releases exist at the same time. `program` is the newest migration, as a
 * timestamp, of the newest program that calls a function, which is dropped when no program as old
 * as that is served any more.
 */
export class NameServedPrograms1795405532278 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table migrations add column serves text`);
    await runner.query(`alter table stored_function add column program bigint not null default 0`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table stored_function drop column program`);
    await runner.query(`alter table migrations drop column serves`);
  }
}
