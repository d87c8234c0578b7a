import type { QueryRunner } from 'typeorm';
import type { Migration } from '../src/platform/postgres';

/** People whose requests are rejected want to know why. Former programs give no reason. */
export class LetRejectionsHaveReasons1795875000000 implements Migration {
  readonly serves = 'CreateBaseline1795847537000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table approval add column reason text`);
  }
}
