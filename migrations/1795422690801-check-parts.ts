import type { QueryRunner } from 'typeorm';
import type { Migration } from '../src/platform/postgres';

/** Checks the rules about parts for old rows, outside a transaction, so that no statement waits. */
export class CheckParts1795422690801 implements Migration {
  readonly transaction = false;
  readonly serves = 'NameServedPrograms1795405532278';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table activity validate constraint activity_parts_positive`);
    await runner.query(`alter table top_up validate constraint top_up_parts_positive`);
  }

  async down(): Promise<void> {}
}
