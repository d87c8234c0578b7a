import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A top-up may be one packet that replaces that of a void claim. */
export class ReplacingTopUps1700000001510 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table top_up
        add column replaces_claim_id bigint,
        add constraint top_up_replaces_once unique (replaces_claim_id),
        add constraint top_up_replaces_one check (replaces_claim_id is null or packet_count = 1);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table top_up drop column replaces_claim_id;`);
  }
}
