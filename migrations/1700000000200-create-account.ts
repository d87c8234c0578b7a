import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Accounts. A wallet belongs to a user, an escrow to an activity, and funding is the world outside
 * the system: the only account whose balance may be negative. Space is left on every page so that a
 * balance changes in place.
 */
export class CreateAccount1700000000200 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table account (
        id            bigint generated always as identity primary key,
        owner_id      text        not null,
        kind          text        not null,
        currency      char(3)     not null,
        balance_minor bigint      not null default 0,
        status        text        not null default 'active',
        created_at    timestamptz not null default now(),
        constraint account_owner_unique unique (owner_id, kind, currency),
        constraint account_kind_known check (kind in ('wallet', 'escrow', 'funding')),
        constraint account_status_known check (status in ('active', 'frozen')),
        constraint account_balance_not_negative check (kind = 'funding' or balance_minor >= 0)
      ) with (fillfactor = 80);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop table account;`);
  }
}
