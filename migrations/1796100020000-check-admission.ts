import type { QueryRunner } from 'typeorm';
import type { Migration } from '../src/platform/postgres';

/** Checks the rule for old activities as well, while no statement waits. */
export class CheckAdmission1796100020000 implements Migration {
  readonly transaction = false;
  readonly serves = 'LetApprovalsCreate1795600000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table activity validate constraint activity_admission_known`);
  }

  async down(): Promise<void> {}
}
