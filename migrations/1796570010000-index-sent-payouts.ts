import type { QueryRunner } from 'typeorm';
import type { Migration } from '../src/platform/postgres';

/**
 * A channel is asked for what was sent, however many payouts wait. A payout whose resolution waits
 * for a second person is not read by its channel.
 */
export class IndexSentPayouts1796570010000 implements Migration {
  readonly transaction = false;
  readonly serves = 'LetApprovalsCreate1795600000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`drop index concurrently if exists payout_sent_due`);
    await runner.query(`
      create index concurrently payout_sent_due on payout (channel_id, due_at, id)
       where ended_at is null and state not in ('review', 'reserved')`);
    await runner.query(`drop index concurrently if exists approval_pending_source`);
    await runner.query(`
      create index concurrently approval_pending_source on approval (action, source_id) where status = 'pending'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop index concurrently if exists approval_pending_source`);
    await runner.query(`drop index concurrently if exists payout_sent_due`);
  }
}
