import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The ledger knows the kind `void`. Its rows keep the rule already, which the next migration checks while the ledger is
 * written to: a look at every row takes long, and nothing would be paid meanwhile.
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
