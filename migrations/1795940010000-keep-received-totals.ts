import type { QueryRunner } from 'typeorm';
import type { Migration } from '../src/platform/postgres';

/**
 * The sums of the packets that users have received, as far as they were counted: the chain of credits from the activity
 * `newest` to just before `next`, which is 0 at the end of the chain. A user who never asks has no row, and a row that
 * is lost is counted again.
 */
export class KeepReceivedTotals1795940010000 implements Migration {
  readonly serves = 'CreateBaseline1795847537000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table received_total (
        user_id      text    not null,
        currency     text    not null,
        newest       bigint  not null,
        next         bigint  not null,
        packets      integer not null,
        amount_minor bigint  not null,
        constraint received_total_pkey primary key (user_id, currency),
        constraint received_total_sums check (packets >= 0 and amount_minor >= packets)
      ) with (fillfactor = 80)`);
  }
}
