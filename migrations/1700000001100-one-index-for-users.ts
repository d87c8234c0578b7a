import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * One index by user and activity serves both questions about a user; the second one cost every
 * claim a tenth of its confirmation. Nothing can be confirmed while it is built: choose a quiet
 * time.
 */
export class OneIndexForUsers1700000001100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table claim drop constraint claim_user_once;
      alter table claim add constraint claim_user_once unique (user_id, activity_id);
      drop index claim_by_user;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create index claim_by_user on claim (user_id, id);
      alter table claim drop constraint claim_user_once;
      alter table claim add constraint claim_user_once unique (activity_id, user_id);
    `);
  }
}
