import type { QueryRunner } from 'typeorm';
import type { Migration } from '../src/platform/postgres';

/** What one person moves in a day is limited for each currency; null is the default. */
export class LetSoloDeedsHaveCurrencies1795900040000 implements Migration {
  readonly serves = 'CreateBaseline1795847537000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table solo_deed add column currency text`);
  }
}
