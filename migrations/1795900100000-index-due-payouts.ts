import type { QueryRunner } from 'typeorm';
import type { Migration } from '../src/platform/postgres';

/** Workers look for payouts that are due five times a second, however many wait for later. */
export class IndexDuePayouts1795900100000 implements Migration {
  readonly transaction = false;
  readonly serves = 'LetApprovalsCreate1795600000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`drop index concurrently if exists payout_due`);
    await runner.query(`
      create index concurrently payout_due on payout (channel_id, due_at, id)
       where ended_at is null and state <> 'review'`);
    await runner.query(`drop index concurrently if exists payout_leased`);
    await runner.query(`
      create index concurrently payout_leased on payout (channel_id, leased_until) where leased_until is not null`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop index concurrently if exists payout_due`);
    await runner.query(`drop index concurrently if exists payout_leased`);
  }
}
