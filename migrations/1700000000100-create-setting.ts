import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Facts that every process must agree on for the life of the data, such as the number of shards.
 * They are recorded at the first boot and compared at every later one.
 */
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
