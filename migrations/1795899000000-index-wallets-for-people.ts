import type { QueryRunner } from 'typeorm';
import type { Migration } from '../src/platform/postgres';

/**
 * Staff list wallets by prefixes of their owners' ids, and the frozen ones, which are few. Escrows, of which each
 * activity has one, are in neither index. The first payment to a user costs one more entry. Later ones cost nothing
 * more, as they change neither column. Deposits are searched for by the reference that came with them.
 */
export class IndexWalletsForPeople1795899000000 implements Migration {
  readonly transaction = false;
  readonly serves = 'CreateBaseline1795847537000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`drop index concurrently if exists account_wallet_by_owner`);
    await runner.query(
      `create index concurrently account_wallet_by_owner on account (owner_id collate "C") where kind = 'wallet'`,
    );
    await runner.query(`drop index concurrently if exists account_frozen_by_owner`);
    await runner.query(
      `create index concurrently account_frozen_by_owner on account (owner_id collate "C")
        where kind = 'wallet' and status = 'frozen'`,
    );
    await runner.query(`drop index concurrently if exists deposit_reference_by_text`);
    await runner.query(
      `create index concurrently deposit_reference_by_text on deposit_reference (reference, transfer_id)`,
    );
  }
}
