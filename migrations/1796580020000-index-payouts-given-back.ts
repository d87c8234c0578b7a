import type { QueryRunner } from 'typeorm';
import type { Migration } from '../src/platform/postgres';

/** Staff look for the few payouts whose money came back, among all that were paid. */
export class IndexPayoutsGivenBack1796580020000 implements Migration {
  readonly transaction = false;
  readonly serves = 'LetApprovalsCreate1795600000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`drop index concurrently if exists payout_given_back`);
    await runner.query(
      `create index concurrently payout_given_back on payout (state, id) where state in ('refused', 'returned')`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop index concurrently if exists payout_given_back`);
  }
}
