import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The ledger gets the kind `void`. The next migration checks the old rows, which takes long, while
 * the ledger is written to.
 */
export class VoidTransfers1700000001520 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table transfer
        drop constraint transfer_kind_known,
        add constraint transfer_kind_known
          check (kind in ('deposit', 'fund', 'top-up', 'credit', 'void', 'refund')) not valid;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table transfer
        drop constraint transfer_kind_known,
        add constraint transfer_kind_known check (kind in ('deposit', 'fund', 'top-up', 'credit', 'refund'));
    `);
  }
}
