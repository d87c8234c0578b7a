import type { QueryRunner } from 'typeorm';
import type { Migration } from '../src/platform/postgres';

/**
 * Each line of a file that differs is a finding of its own, also beside another one of the same
 * payout. A former program that finds something meanwhile fails, and asks again.
 */
export class LetLinesBeFindings1796600030000 implements Migration {
  readonly transaction = false;
  readonly serves = 'LetApprovalsCreate1795600000000';

  async up(runner: QueryRunner): Promise<void> {
    await this.make(runner, `ended_at is null and line is null`);
  }

  /** Fails while two lines about one payout are open: end them first. */
  async down(runner: QueryRunner): Promise<void> {
    await this.make(runner, `ended_at is null`);
  }

  private async make(runner: QueryRunner, condition: string): Promise<void> {
    await runner.query(`drop index concurrently if exists payout_finding_new`);
    await runner.query(
      `create unique index concurrently payout_finding_new on payout_finding (payout_id, kind) where ${condition}`,
    );
    await runner.query(`drop index concurrently if exists payout_finding_open`);
    await runner.query(`alter index payout_finding_new rename to payout_finding_open`);
  }
}
