import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Facts that all processes agree on for ever, such as the number of shards. */
export class CreateSetting1700000000100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table setting (
        name  text primary key,
        value text not null
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop table setting;`);
  }
}
