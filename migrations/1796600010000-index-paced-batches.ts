import type { QueryRunner } from 'typeorm';
import type { Migration } from '../src/platform/postgres';

/** Every read of an activity reads its plans. They are few among batches that replace void packets. */
export class IndexPacedBatches1796600010000 implements Migration {
  readonly transaction = false;
  readonly serves = 'LetApprovalsCreate1795600000000';

  async up(runner: QueryRunner): Promise<void> {
    await this.down(runner);
    await runner.query(`
      create index concurrently packet_batch_paced on packet_batch (activity_id) where terms like '%"pace":%'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop index concurrently if exists packet_batch_paced`);
  }
}
