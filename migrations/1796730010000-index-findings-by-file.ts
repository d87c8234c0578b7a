import type { QueryRunner } from 'typeorm';
import type { Migration } from '../src/platform/postgres';

/** Findings of a file are ended together. */
export class IndexFindingsByFile1796730010000 implements Migration {
  readonly transaction = false;
  readonly serves = 'LetApprovalsCreate1795600000000';

  async up(runner: QueryRunner): Promise<void> {
    await this.down(runner);
    await runner.query(`
      create index concurrently payout_finding_of_file on payout_finding (statement_id, id)
       where ended_at is null and statement_id is not null`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop index concurrently if exists payout_finding_of_file`);
  }
}
