import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Functions that repositories call are created from the files beside them, each time that a file
 * has changed, so that the statement that decides can be read, and changed, in one place. This
 * table records the text that each function was made from (`checksum`, SHA-256 in hex), and
 * Postgres's own wording of the result (`definition`), so that a change by hand shows.
 *
 * Functions of earlier migrations are recorded without a checksum: they are replaced right after
 * this migration.
 */
export class CreateStoredFunction1795370408415 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table stored_function (
        signature  text not null,
        file       text not null,
        checksum   text not null,
        definition text not null,
        constraint stored_function_pkey primary key (signature)
      );
      insert into stored_function (signature, file, checksum, definition)
      values ('confirm_all(bigint[],integer[],text[])', 'grab/confirm.sql', '', ''),
             ('confirm_free(bigint[],integer[],text[])', 'grab/confirm.sql', '', '');
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table stored_function');
  }
}
