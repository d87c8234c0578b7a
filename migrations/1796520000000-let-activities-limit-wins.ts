import type { QueryRunner } from 'typeorm';
import type { Migration } from '../src/platform/postgres';

/** Limits on the wins of one user; activities of older programs have none. */
export class LetActivitiesLimitWins1796520000000 implements Migration {
  readonly serves = 'LetApprovalsCreate1795600000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table activity add column limits jsonb`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table activity drop column limits`);
  }
}
