import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Money and packets that were added to an activity after its creation, in one transaction with its
 * new total. Packets are numbered from `first_no` on, so every number tells what it was split from.
 */
export class CreateTopUp1700000001400 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table top_up (
        id           bigint generated always as identity primary key,
        activity_id  bigint      not null,
        amount_minor bigint      not null,
        packet_count integer     not null,
        first_no     integer     not null,
        split        jsonb       not null,
        seed         text        not null,
        created_at   timestamptz not null default clock_timestamp(),
        constraint top_up_packets_once unique (activity_id, first_no),
        constraint top_up_amount_positive check (amount_minor > 0),
        constraint top_up_packet_count_positive check (packet_count > 0),
        constraint top_up_behind_the_first check (first_no > 1)
      );
      create trigger append_only before update or delete or truncate on top_up
      for each statement execute function refuse_change();

      alter table transfer drop constraint transfer_kind_known;
      alter table transfer add constraint transfer_kind_known
        check (kind in ('deposit', 'fund', 'top-up', 'credit', 'refund'));
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table transfer drop constraint transfer_kind_known;
      alter table transfer add constraint transfer_kind_known
        check (kind in ('deposit', 'fund', 'credit', 'refund'));
      drop table top_up;
    `);
  }
}
