import type { QueryRunner } from 'typeorm';
import type { Migration } from '../src/platform/postgres';

/** Outside a transaction and apart from the new column, so that nobody waits while it reads all activities. */
export class FillBatchCounts1796530010000 implements Migration {
  readonly transaction = false;
  readonly serves = 'LetApprovalsCreate1795600000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      update activity set batches = written.count
        from (select activity_id, count(*) from packet_batch group by 1) as written where id = activity_id`);
  }

  async down(): Promise<void> {}
}
