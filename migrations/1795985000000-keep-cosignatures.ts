import type { QueryRunner } from 'typeorm';
import type { Migration } from '../src/platform/postgres';

/**
 * Signatures of witnesses under the log of claims: a line of the note for each checkpoint, witness and time. The key
 * comes first, because every query is about a few witnesses and their last checkpoints. While nobody wins, a witness
 * signs the same checkpoint again, to show that it still sees the log. The time is in the line, after the dash, the name
 * and the four bytes of the hash of the key.
 */
export class KeepCosignatures1795985000000 implements Migration {
  readonly serves = 'CreateBaseline1795847537000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table claim_cosignature (
        verifier_key text        not null,
        tree_size    bigint      not null,
        line         text        not null,
        received_at  timestamptz not null default now(),
        cosigned_at  bigint      not null generated always as (
          ('x' || encode(substring(decode(split_part(line, ' ', 3), 'base64') from 5 for 8), 'hex'))::bit(64)::bigint) stored,
        constraint claim_cosignature_pkey primary key (verifier_key, tree_size, cosigned_at),
        constraint claim_cosignature_bounded check (char_length(line) <= 300)
      );
      create trigger append_only before update or delete or truncate on claim_cosignature
      for each statement execute function refuse_change()`);
  }
}
