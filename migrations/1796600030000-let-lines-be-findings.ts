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
    await this.make(runner, 'payout_finding_told', `ended_at is null and line is null`);
    await runner.query(`drop index concurrently if exists payout_finding_open`);
  }

  /** Fails while two lines about one payout are open: end them first. */
  async down(runner: QueryRunner): Promise<void> {
    await this.make(runner, 'payout_finding_open', `ended_at is null`);
    await runner.query(`drop index concurrently if exists payout_finding_told`);
  }

  private async make(runner: QueryRunner, index: string, condition: string): Promise<void> {
    await runner.query(`drop index concurrently if exists ${index}`);
    await runner.query(
      `create unique index concurrently ${index} on payout_finding (payout_id, kind) where ${condition}`,
    );
  }
}
