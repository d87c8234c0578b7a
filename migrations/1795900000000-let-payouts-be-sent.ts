import type { QueryRunner } from 'typeorm';
import type { Migration } from '../src/platform/postgres';

/**
 * Records each call of a channel before it is made. `payout_pace` is apart from `payout_channel`,
 * because every claim of a worker locks and changes it.
 */
export class LetPayoutsBeSent1795900000000 implements Migration {
  readonly serves = 'LetApprovalsCreate1795600000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table payout
        add column due_at timestamptz not null default now(),
        add column leased_until timestamptz,
        add column calls integer not null default 0,
        add column first_sent_at timestamptz,
        add column last_sent_at timestamptz,
        add column not_found integer not null default 0`);
    await runner.query(`
      create table payout_pace (
        channel_id  bigint primary key,
        tokens      double precision not null default 1,
        factor      double precision not null default 1,
        filled_at   timestamptz      not null default now(),
        held_until  timestamptz      not null default now(),
        failures    integer          not null default 0,
        openings    integer          not null default 0,
        open_until  timestamptz,
        day         date,
        day_minor   bigint           not null default 0
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop table payout_pace`);
    await runner.query(`
      alter table payout
        drop column due_at, drop column leased_until, drop column calls,
        drop column first_sent_at, drop column last_sent_at, drop column not_found`);
  }
}
