import type { QueryRunner } from 'typeorm';
import type { Migration } from '../src/platform/postgres';

/** People find their own requests among those of all. */
export class IndexApprovalsByAsker1795875010000 implements Migration {
  readonly transaction = false;
  readonly serves = 'CreateBaseline1795847537000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`drop index concurrently if exists approval_asked_by`);
    await runner.query(`create index concurrently approval_asked_by on approval (asked_by, id)`);
  }
}
