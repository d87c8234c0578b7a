import type { QueryRunner } from 'typeorm';
import type { Migration } from '../src/platform/postgres';

/**
 * What a user has sent in a UTC day, where the installation limits it: activities, and money by currency. `days` keeps
 * the sums of other days, as in `budget`.
 */
export class CountWhatUsersSend1795940020000 implements Migration {
  readonly serves = 'CreateBaseline1795847537000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table sender_day_count (
        user_id text   not null,
        unit    text   not null,
        day     date   not null,
        sum     bigint not null,
        days    jsonb  not null default '{}',
        constraint sender_day_count_pkey primary key (user_id, unit),
        constraint sender_day_count_sum check (sum >= 0)
      ) with (fillfactor = 80)`);
  }
}
