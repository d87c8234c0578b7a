import type { QueryRunner } from 'typeorm';
import type { Migration } from '../src/platform/postgres';

/** Checks the erasures that were there before the last migration. */
export class ValidateWithdrawnErasures1795990010000 implements Migration {
  readonly serves = 'CreateBaseline1795847537000';
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    for (const name of ['forgets', 'withdrawn_by_somebody', 'withdrawn_before_it_began'])
      await runner.query(`alter table erasure validate constraint erasure_${name}`);
  }
}
