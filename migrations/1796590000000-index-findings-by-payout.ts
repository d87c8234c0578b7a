import type { QueryRunner } from 'typeorm';
import type { Migration } from '../src/platform/postgres';

/** Staff read the findings about a payout with its story, also those that have ended. */
export class IndexFindingsByPayout1796590000000 implements Migration {
  readonly transaction = false;
  readonly serves = 'LetApprovalsCreate1795600000000';

  async up(runner: QueryRunner): Promise<void> {
    await this.down(runner);
    await runner.query(`create index concurrently payout_finding_about on payout_finding (payout_id, id)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop index concurrently if exists payout_finding_about`);
  }
}
