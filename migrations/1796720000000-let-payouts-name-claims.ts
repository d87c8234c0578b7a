import type { QueryRunner } from 'typeorm';
import type { Migration } from '../src/platform/postgres';

/**
 * A payout of a rain names the number of its wins itself: under review it has no step that does. Null
 * for payouts that users ask for, and for those of former programs, whose first step names it.
 */
export class LetPayoutsNameClaims1796720000000 implements Migration {
  readonly serves = 'LetApprovalsCreate1795600000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table payout add column claims integer`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table payout drop column claims`);
  }
}
