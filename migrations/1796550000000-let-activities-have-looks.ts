import type { QueryRunner } from 'typeorm';
import type { Migration } from '../src/platform/postgres';

/** Texts, colours and the logo of the page of a rain; activities of older programs have none. */
export class LetActivitiesHaveLooks1796550000000 implements Migration {
  readonly serves = 'LetApprovalsCreate1795600000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table activity add column theme jsonb, add column logo bytea`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table activity drop column theme, drop column logo`);
  }
}
