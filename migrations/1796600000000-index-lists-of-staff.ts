import type { QueryRunner } from 'typeorm';
import type { Migration } from '../src/platform/postgres';

/** Staff list the payouts of one channel, and approvals of one status, among all. */
export class IndexListsOfStaff1796600000000 implements Migration {
  readonly transaction = false;
  readonly serves = 'LetApprovalsCreate1795600000000';

  async up(runner: QueryRunner): Promise<void> {
    await this.down(runner);
    await runner.query(`create index concurrently payout_by_channel on payout (channel_id, id)`);
    await runner.query(`create index concurrently approval_by_status on approval (status, id)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop index concurrently if exists payout_by_channel`);
    await runner.query(`drop index concurrently if exists approval_by_status`);
  }
}
