import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CheckKindsOfTransfers1700000001530 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table transfer validate constraint transfer_kind_known;`);
  }

  async down(): Promise<void> {
    // A checked rule need not be undone.
  }
}
