import type { QueryRunner } from 'typeorm';
import type { Migration } from '../src/platform/postgres';

/** What goes wrong for one user is no evidence against the channel, so a payout counts its own setbacks. */
export class LetUsersBeInTrouble1796700000000 implements Migration {
  readonly serves = 'LetApprovalsCreate1795600000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table payout add column setbacks integer not null default 0`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table payout drop column setbacks`);
  }
}
