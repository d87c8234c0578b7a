import type { QueryRunner } from 'typeorm';
import type { Migration } from '../src/platform/postgres';

/**
 * Codes that packets give, such as vouchers. A code has a number in its pool, and is written once, sealed. Free
 * and reserved codes are ranges of these numbers: an activity of a million packets reserves one range of a new
 * pool, and returns one for each run of unwon packets. The packet `no` of an activity gives the code that many
 * places after the first of its range.
 *
 * `code_showing` is the last judge: a code is shown for one packet, and a packet shows one code, to one user.
 */
export class CreateCodePools1795910000000 implements Migration {
  readonly serves = 'CreateBaseline1795847537000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table code_pool (
        id          integer generated always as identity,
        name        text        not null,
        sponsor_id  text        not null,
        currency    text        not null,
        wrapped_key bytea       not null,
        uploaded    integer     not null default 0,
        created_at  timestamptz not null default now(),
        constraint code_pool_pkey primary key (id),
        constraint code_pool_currency_own unique (currency),
        constraint code_pool_currency_names_it check (currency = 'CODE' || id),
        constraint code_pool_uploaded_counted check (uploaded >= 0)
      );
      create index code_pool_by_sponsor on code_pool (sponsor_id, id);

      create table code (
        pool_id integer not null,
        no      integer not null,
        sealed  bytea   not null,
        digest  bytea   not null,
        constraint code_pkey primary key (pool_id, no),
        constraint code_once unique (pool_id, digest)
      );
      create trigger append_only before update or delete or truncate on code
      for each statement execute function refuse_change();

      create table code_free (
        pool_id  integer not null,
        first_no integer not null,
        count    integer not null,
        constraint code_free_pkey primary key (pool_id, first_no),
        constraint code_free_counted check (first_no > 0 and count > 0)
      );

      create table code_reserved (
        activity_id     bigint  not null,
        first_packet_no integer not null,
        pool_id         integer not null,
        first_no        integer not null,
        count           integer not null,
        returned_at     timestamptz,
        constraint code_reserved_pkey primary key (activity_id, first_packet_no),
        constraint code_reserved_counted check (first_packet_no > 0 and first_no > 0 and count > 0)
      );
      create index code_reserved_by_pool on code_reserved (pool_id, activity_id);
      create index code_reserved_held on code_reserved (activity_id, pool_id) where returned_at is null;

      create table code_showing (
        pool_id        integer     not null,
        no             integer     not null,
        activity_id    bigint      not null,
        packet_no      integer     not null,
        user_id        text        not null,
        first_shown_at timestamptz not null default now(),
        constraint code_showing_pkey primary key (pool_id, no),
        constraint code_showing_packet_once unique (activity_id, packet_no)
      );
      create trigger append_only before update or delete or truncate on code_showing
      for each statement execute function refuse_change()`);
  }
}
