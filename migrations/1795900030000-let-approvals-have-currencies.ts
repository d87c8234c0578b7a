import type { QueryRunner } from 'typeorm';
import type { Migration } from '../src/platform/postgres';

/**
 * The currency of a request; null for the default. An older program would carry out an approved deposit in the
 * default currency. As it does not name the currency when it approves, it cannot approve one in another currency.
 */
export class LetApprovalsHaveCurrencies1795900030000 implements Migration {
  readonly serves = 'CreateBaseline1795847537000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table approval
        add column currency text,
        add column approved_in text,
        add constraint approval_in_its_currency
          check (status <> 'approved' or currency is not distinct from approved_in) not valid`);
  }
}
