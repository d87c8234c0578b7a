import type { QueryRunner } from 'typeorm';
import type { Migration } from '../src/platform/postgres';

/** The channel that pays out what an activity credits; null where credits stay in the wallet. */
export class LetActivitiesPayOut1795810000000 implements Migration {
  readonly serves = 'LetApprovalsCreate1795600000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table activity add column payout_channel_id bigint`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table activity drop column payout_channel_id`);
  }
}
