import type { QueryRunner } from 'typeorm';
import type { Migration } from '../src/platform/postgres';

/**
 * No transfer goes from one currency to another, no matter who writes it. Foreign keys to both accounts would ensure
 * that as well, but would look up and lock two rows for each credit.
 */
export class KeepTransfersInACurrency1795900010000 implements Migration {
  readonly serves = 'CreateBaseline1795847537000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table transfer
        add constraint transfer_in_one_currency check (debit_account_id >> 48 = credit_account_id >> 48) not valid`);
  }
}
