import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Old and new programs run side by side, and the database records which may (decision 36). `serves`
 * is the oldest migration whose programs go on running after this one; null: only those that know
 * it. `program` is the newest migration, as a timestamp, of the newest program that calls a
 * function: the function is dropped when none as old as that is served.
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
