import type { QueryRunner } from 'typeorm';
import type { Migration } from '../src/platform/postgres';

/** What a sponsor spent on days beside the present one. */
export class KeepSumsOfBudgetDays1796710010000 implements Migration {
  readonly serves = 'LetApprovalsCreate1795600000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table budget add column days jsonb not null default '{}'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table budget drop column days`);
  }
}
