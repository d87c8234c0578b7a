import type { QueryRunner } from 'typeorm';
import type { Migration } from '../src/platform/postgres';

/** A channel whose money is used up takes no payment for a while, and answers questions. */
export class LetChannelsHoldPayments1796570000000 implements Migration {
  readonly serves = 'LetApprovalsCreate1795600000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `alter table payout_pace add column payments_held_until timestamptz not null default '-infinity'`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table payout_pace drop column payments_held_until`);
  }
}
