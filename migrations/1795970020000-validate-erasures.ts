import type { QueryRunner } from 'typeorm';
import type { Migration } from '../src/platform/postgres';

/** Checks the approvals that were there before the last migration. That may take long, but blocks nobody. */
export class ValidateErasures1795970020000 implements Migration {
  readonly serves = 'CreateBaseline1795847537000';
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table approval validate constraint approval_action_known');
    await runner.query('alter table approval validate constraint approval_amount_positive');
  }
}
