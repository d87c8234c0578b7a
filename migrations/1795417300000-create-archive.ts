import type { QueryRunner } from 'typeorm';
import type { Migration } from '../src/platform/postgres';
import { PartitionBooks1795417200000 } from './1795417200000-partition-books';

/**
 * Rows that were written to files and have left the database. A row of `archive` is one partition
 * and its progress: written, detached, dropped. `archive_balance` is what its credits have left on
 * accounts, and counts from the detaching on. A row of `audit_archive` is one month of the audit
 * log.
 */
export class CreateArchive1795417300000 implements Migration {
  readonly serves = PartitionBooks1795417200000.name;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table archive (
        first_activity_id  bigint      not null,
        beyond_activity_id bigint      not null,
        file               text        not null,
        packets            bigint      not null,
        claims             bigint      not null,
        credits            bigint      not null,
        credited_minor     numeric     not null,
        letters            bigint      not null,
        digest             bytea       not null,
        written_at         timestamptz not null default now(),
        detached_at        timestamptz,
        dropped_at         timestamptz,
        constraint archive_pkey primary key (first_activity_id),
        constraint archive_range_ordered check (beyond_activity_id > first_activity_id),
        constraint archive_digest_sha256 check (length(digest) = 32),
        constraint archive_detached_before_dropped check (dropped_at is null or detached_at is not null)
      );
      create table archive_balance (
        first_activity_id bigint not null,
        account_id        bigint not null,
        net_minor         bigint not null,
        constraint archive_balance_pkey primary key (first_activity_id, account_id)
      );
      create table audit_archive (
        month      text        not null,
        file       text        not null,
        entries    bigint      not null,
        digest     bytea       not null,
        written_at timestamptz not null default now(),
        removed_at timestamptz,
        constraint audit_archive_pkey primary key (month),
        constraint audit_archive_digest_sha256 check (length(digest) = 32)
      );
      alter table activity add column archived_at timestamptz;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table activity drop column archived_at;
      drop table audit_archive;
      drop table archive_balance;
      drop table archive;
    `);
  }
}
