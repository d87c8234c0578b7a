import type { QueryRunner } from 'typeorm';
import type { Migration } from '../src/platform/postgres';

/** Checks the changed rules for old rows as well, while no statement waits. */
export class CheckPayouts1795700100000 implements Migration {
  readonly transaction = false;
  readonly serves = 'LetApprovalsCreate1795600000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table account validate constraint account_kind_known`);
    await runner.query(`alter table transfer validate constraint transfer_kind_known`);
    await runner.query(`alter table transfer validate constraint transfer_activity_named`);
    await runner.query(`alter table approval validate constraint approval_action_known`);
  }

  async down(): Promise<void> {}
}
