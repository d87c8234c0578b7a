import type { QueryRunner } from 'typeorm';
import type { Migration } from '../src/platform/postgres';

/** Checks the rows that were there before. That may take long, but blocks nobody. */
export class ValidateCurrencies1795900050000 implements Migration {
  readonly serves = 'CreateBaseline1795847537000';
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table account validate constraint account_id_has_currency');
    await runner.query('alter table account validate constraint account_currency_known');
    await runner.query('alter table activity validate constraint activity_in_one_currency');
    await runner.query('alter table transfer validate constraint transfer_in_one_currency');
    await runner.query('alter table approval validate constraint approval_in_its_currency');
  }
}
