import type { QueryRunner } from 'typeorm';
import type { Migration } from '../src/platform/postgres';

/** What a channel was sent on days beside the present one: a clock that was days ahead forgot the day it came back to. */
export class KeepSumsOfChannelDays1796710000000 implements Migration {
  readonly serves = 'LetApprovalsCreate1795600000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table payout_pace add column days jsonb not null default '{}'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table payout_pace drop column days`);
  }
}
