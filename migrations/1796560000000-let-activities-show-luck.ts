import type { QueryRunner } from 'typeorm';
import type { Migration } from '../src/platform/postgres';

/**
 * The numbers of the largest packets that were won, kept when an activity ends: an index of claims
 * by their amounts would cost every win.
 */
export class LetActivitiesShowLuck1796560000000 implements Migration {
  readonly serves = 'LetApprovalsCreate1795600000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table activity
        add column shows_best_luck boolean not null default false,
        add column best_luck integer[]`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table activity drop column best_luck, drop column shows_best_luck`);
  }
}
