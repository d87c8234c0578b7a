import type { QueryRunner } from 'typeorm';
import type { Migration } from '../src/platform/postgres';

/**
 * People who are to be forgotten. A row has the id until a pseudonym has replaced it everywhere; from then on it has a
 * keyed digest, by which a restored backup forgets again. The owner of the tables does everything after the request.
 *
 * A seal is never changed. Where a pseudonym changes the rows that it proves, a revision has the digest before and
 * after. The file of an archive is revised in the same way.
 */
export class LetPeopleBeForgotten1795970000000 implements Migration {
  readonly serves = 'CreateBaseline1795847537000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table erasure (
        id           bigint      generated always as identity,
        user_id      text,
        requested_by text        not null,
        requested_at timestamptz not null default now(),
        pseudonym    text,
        digest       bytea,
        digest_key   text,
        done_at      timestamptz,
        constraint erasure_pkey primary key (id),
        constraint erasure_pseudonym_once unique (pseudonym),
        constraint erasure_forgets check ((done_at is null) = (user_id is not null)),
        constraint erasure_done_digested check (done_at is null or num_nulls(pseudonym, digest, digest_key) = 0),
        constraint erasure_digest_sha256 check (octet_length(digest) = 32)
      );
      create unique index erasure_of_person_once on erasure (user_id) where done_at is null;
      create trigger end_is_final before update on erasure
      for each row when (old.done_at is not null) execute function refuse_change();
      create trigger kept before delete or truncate on erasure
      for each statement execute function refuse_change();

      create table seal_revision (
        activity_id   bigint      not null,
        no            integer     not null,
        cause         text        not null,
        digest_before bytea       not null,
        digest_after  bytea       not null,
        revised_at    timestamptz not null default now(),
        constraint seal_revision_pkey primary key (activity_id, no),
        constraint seal_revision_counted check (no > 0),
        constraint seal_revision_sha256 check (octet_length(digest_before) = 32 and octet_length(digest_after) = 32)
      );
      create trigger append_only before update or delete or truncate on seal_revision
      for each statement execute function refuse_change();

      create table archive_revision (
        file          text        not null,
        no            integer     not null,
        digest_before bytea       not null,
        digest_after  bytea       not null,
        revised_at    timestamptz not null default now(),
        constraint archive_revision_pkey primary key (file, no),
        constraint archive_revision_counted check (no > 0),
        constraint archive_revision_sha256
          check (octet_length(digest_before) = 32 and octet_length(digest_after) = 32)
      );
      create trigger append_only before update or delete or truncate on archive_revision
      for each statement execute function refuse_change()`);
  }
}
