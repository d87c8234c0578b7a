import type { QueryRunner } from 'typeorm';
import type { Migration } from '../src/platform/postgres';

/** The most money that a sponsor's wallet may bring into activities in a UTC day, and what it has. */
export class CreateBudget1796540000000 implements Migration {
  readonly serves = 'LetApprovalsCreate1795600000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table budget (
        wallet_account_id bigint not null,
        per_day_minor     bigint not null,
        day               date   not null,
        spent_minor       bigint not null,
        constraint budget_pkey primary key (wallet_account_id),
        constraint budget_amounts check (per_day_minor > 0 and spent_minor >= 0)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop table budget`);
  }
}
