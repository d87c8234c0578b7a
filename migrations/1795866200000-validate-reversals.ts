import type { QueryRunner } from 'typeorm';
import type { Migration } from '../src/platform/postgres';
import { CreateBaseline1795847537000 } from './1795847537000-create-baseline';

/** Checks the rows that were there before the last two migrations. That may take long, but blocks nobody. */
export class ValidateReversals1795866200000 implements Migration {
  readonly serves = CreateBaseline1795847537000.name;
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table transfer validate constraint transfer_kind_known');
    await runner.query('alter table transfer validate constraint transfer_activity_named');
    await runner.query('alter table approval validate constraint approval_action_known');
  }
}
