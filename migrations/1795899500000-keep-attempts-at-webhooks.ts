import type { QueryRunner } from 'typeorm';
import type { Migration } from '../src/platform/postgres';

/**
 * To find out why a message did not arrive, people need to know when it was tried and what each attempt got back.
 * Former programs write no attempts.
 */
export class KeepAttemptsAtWebhooks1795899500000 implements Migration {
  readonly serves = 'CreateBaseline1795847537000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table undelivered_message add column tries jsonb not null default '[]'`);
  }
}
