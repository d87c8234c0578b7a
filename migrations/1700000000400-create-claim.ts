import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A claim is a confirmed win. Its two unique constraints are the last judges of the whole system:
 * one packet, one user; one user, one packet. A row of unsettled_claim stands for an unpaid claim;
 * deleting it is also the lock against two payments (decision 4).
 */
export class CreateClaim1700000000400 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table claim (
        id           bigint generated always as identity primary key,
        activity_id  bigint      not null,
        packet_no    integer     not null,
        user_id      text        not null,
        amount_minor bigint      not null,
        confirmed_at timestamptz not null default now(),
        constraint claim_packet_once unique (activity_id, packet_no),
        constraint claim_user_once unique (activity_id, user_id),
        constraint claim_amount_positive check (amount_minor > 0)
      );
      create index claim_by_user on claim (user_id, id);

      create table unsettled_claim (
        claim_id   bigint      primary key,
        queued_at  timestamptz not null default now(),
        attempts   smallint    not null default 0,
        last_error text
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop table unsettled_claim; drop table claim;`);
  }
}
