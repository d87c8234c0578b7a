import type { QueryRunner } from 'typeorm';
import type { Migration } from '../src/platform/postgres';

/** The keys that a sponsor has had within a day are counted, deleted ones included. */
export class IndexTicketKeys1796580000000 implements Migration {
  readonly transaction = false;
  readonly serves = 'LetApprovalsCreate1795600000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`drop index concurrently if exists ticket_key_of_day`);
    await runner.query(`create index concurrently ticket_key_of_day on ticket_key (sponsor_id, created_at)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop index concurrently if exists ticket_key_of_day`);
  }
}
