import type { QueryRunner } from 'typeorm';
import type { Migration } from '../src/platform/postgres';

/** The keys by which sponsors sign tickets. A deleted key has no secret. */
export class CreateTicketKey1796100010000 implements Migration {
  readonly serves = 'LetApprovalsCreate1795600000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table ticket_key (
        id         bigint generated always as identity primary key,
        sponsor_id text        not null,
        secret     text,
        created_at timestamptz not null default now(),
        deleted_at timestamptz,
        constraint ticket_key_deleted_without_secret check ((deleted_at is null) = (secret is not null))
      );
      create index ticket_key_live on ticket_key (sponsor_id) where deleted_at is null`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop table ticket_key`);
  }
}
