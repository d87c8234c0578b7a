import type { QueryRunner } from 'typeorm';
import type { Migration } from '../src/platform/postgres';

/** Steps of payouts that their users are still to be notified of. */
export class CreatePayoutNews1796000100000 implements Migration {
  readonly serves = 'LetApprovalsCreate1795600000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create table payout_news (payout_event_id bigint primary key)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop table payout_news`);
  }
}
