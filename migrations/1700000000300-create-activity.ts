import type { MigrationInterface, QueryRunner } from 'typeorm';

/** An activity and its packets. Packets never change, and carry no foreign key (decision 10). */
export class CreateActivity1700000000300 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table activity (
        id                 bigint generated always as identity primary key,
        name               text        not null,
        sponsor_id         text        not null,
        sponsor_account_id bigint      not null references account,
        escrow_account_id  bigint      not null references account,
        currency           char(3)     not null,
        total_minor        bigint      not null,
        packet_count       integer     not null,
        split              jsonb       not null,
        seed               text        not null,
        opens_at           timestamptz not null,
        closes_at          timestamptz not null,
        status             text        not null default 'active',
        created_at         timestamptz not null default now(),
        closed_at          timestamptz,
        constraint activity_escrow_unique unique (escrow_account_id),
        constraint activity_total_positive check (total_minor > 0),
        constraint activity_packet_count_positive check (packet_count > 0),
        constraint activity_window_ordered check (closes_at > opens_at),
        constraint activity_status_known check (status in ('active', 'closed', 'cancelled')),
        constraint activity_closed_dated check ((status = 'active') = (closed_at is null))
      );
      create index activity_active on activity (closes_at) where status = 'active';

      create table packet (
        activity_id  bigint  not null,
        no           integer not null,
        amount_minor bigint  not null,
        constraint packet_pkey primary key (activity_id, no),
        constraint packet_amount_positive check (amount_minor > 0)
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop table packet; drop table activity;`);
  }
}
