import type { QueryRunner } from 'typeorm';
import type { Migration } from '../src/platform/postgres';

/** A file is compared with what was paid since the one before it. */
export class IndexPayoutsOfFiles1796000300000 implements Migration {
  readonly transaction = false;
  readonly serves = 'LetApprovalsCreate1795600000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`drop index concurrently if exists payout_paid`);
    await runner.query(
      `create index concurrently payout_paid on payout (channel_id, ended_at) where state = 'paid'`,
    );
    await runner.query(`drop index concurrently if exists payout_finding_line`);
    await runner.query(`
      create unique index concurrently payout_finding_line on payout_finding (channel_id, kind, line)
       where line is not null`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop index concurrently if exists payout_paid`);
    await runner.query(`drop index concurrently if exists payout_finding_line`);
  }
}
