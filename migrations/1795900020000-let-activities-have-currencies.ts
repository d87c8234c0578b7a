import type { QueryRunner } from 'typeorm';
import type { Migration } from '../src/platform/postgres';

/** As for accounts: the longest code has twelve characters, and no row is rewritten. */
export class LetActivitiesHaveCurrencies1795900020000 implements Migration {
  readonly serves = 'CreateBaseline1795847537000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table activity alter column currency type bpchar`);
    await runner.query(`
      alter table activity
        add constraint activity_in_one_currency check (sponsor_account_id >> 48 = escrow_account_id >> 48) not valid`);
  }
}
