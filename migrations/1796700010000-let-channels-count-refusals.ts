import type { QueryRunner } from 'typeorm';
import type { Migration } from '../src/platform/postgres';

/** A channel is left alone, as it asks for, when it could not take payments of several users in a row. */
export class LetChannelsCountRefusals1796700010000 implements Migration {
  readonly serves = 'LetApprovalsCreate1795600000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `alter table payout_pace
         add column refusals integer not null default 0,
         add column slowed_at timestamptz not null default '-infinity'`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table payout_pace drop column refusals, drop column slowed_at`);
  }
}
