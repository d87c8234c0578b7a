import type { QueryRunner } from 'typeorm';
import type { Migration } from '../src/platform/postgres';

/** The money of a channel's payouts that have not ended is in an account of the channel. */
export class LetAccountsBeOutbound1795700010000 implements Migration {
  readonly serves = 'LetApprovalsCreate1795600000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table account
        drop constraint account_kind_known,
        add constraint account_kind_known check (kind in ('wallet', 'escrow', 'funding', 'outbound')) not valid;
    `);
  }

  /** Refuses to go back where a channel has an account. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table account
        drop constraint account_kind_known,
        add constraint account_kind_known check (kind in ('wallet', 'escrow', 'funding'));
    `);
  }
}
