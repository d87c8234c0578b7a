import type { QueryRunner } from 'typeorm';
import type { Migration } from '../src/platform/postgres';

/** Each claim of a worker asks which users are in trouble, and which payout of a user is due first. */
export class IndexUsersInTrouble1796700020000 implements Migration {
  readonly transaction = false;
  readonly serves = 'LetApprovalsCreate1795600000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`drop index concurrently if exists payout_in_trouble`);
    await runner.query(`
      create index concurrently payout_in_trouble on payout (channel_id, user_id)
       where setbacks > 0 and ended_at is null`);
    await runner.query(`drop index concurrently if exists payout_due_by_user`);
    await runner.query(`
      create index concurrently payout_due_by_user on payout (user_id, channel_id, due_at, id)
       where ended_at is null`);
    await runner.query(`drop index concurrently if exists payout_open_by_user`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `create index concurrently payout_open_by_user on payout (user_id) where ended_at is null`,
    );
    await runner.query(`drop index concurrently if exists payout_due_by_user`);
    await runner.query(`drop index concurrently if exists payout_in_trouble`);
  }
}
