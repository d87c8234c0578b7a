import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Functions are created from the files beside their repositories, each time a file has changed
 * (decision 18). This table records the text that each was made from (`checksum`, SHA-256 in hex)
 * and Postgres's wording of the result (`definition`), so that a change by hand shows. Functions of
 * earlier migrations have no checksum: they are replaced right after this migration.
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
