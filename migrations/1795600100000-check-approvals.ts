import type { QueryRunner } from 'typeorm';
import type { Migration } from '../src/platform/postgres';

/** Checks the rules about approvals for old rows, while no statement waits. */
export class CheckApprovals1795600100000 implements Migration {
  readonly transaction = false;
  readonly serves = 'CheckParts1795422690801';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table approval validate constraint approval_action_known`);
    await runner.query(`alter table approval validate constraint approval_result_named`);
  }

  async down(): Promise<void> {}
}
