import type { QueryRunner } from 'typeorm';
import type { Migration } from '../src/platform/postgres';

/** Staff read what waits for a second person, among all that has lapsed. */
export class IndexPendingApprovals1796600020000 implements Migration {
  readonly transaction = false;
  readonly serves = 'LetApprovalsCreate1795600000000';

  async up(runner: QueryRunner): Promise<void> {
    await this.down(runner);
    await runner.query(
      `create index concurrently approval_pending on approval (expires_at) where status = 'pending'`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop index concurrently if exists approval_pending`);
  }
}
