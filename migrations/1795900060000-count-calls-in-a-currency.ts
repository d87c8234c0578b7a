import type { QueryRunner } from 'typeorm';
import type { Migration } from '../src/platform/postgres';

/**
 * A program that knows only the default currency would send the amounts of others with its decimals and under its name.
 * Each call is recorded before it is made, and a program that does not also count it here cannot record it.
 */
export class CountCallsInACurrency1795900060000 implements Migration {
  readonly serves = 'CreateBaseline1795847537000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table payout
        add column currency_calls integer not null default 0,
        add constraint payout_called_in_its_currency
          check (wallet_account_id >> 48 = 0 or currency_calls = calls) not valid`);
  }
}
