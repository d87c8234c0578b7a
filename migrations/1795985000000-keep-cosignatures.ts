import type { QueryRunner } from 'typeorm';
import type { Migration } from '../src/platform/postgres';

/**
 * What witnesses have signed of the log of claims: a line of the note for each checkpoint and witness. The key comes
 * first, because every question is about a few witnesses and their last checkpoints.
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
        constraint claim_cosignature_pkey primary key (verifier_key, tree_size),
        constraint claim_cosignature_bounded check (char_length(line) <= 300)
      );
      create trigger append_only before update or delete or truncate on claim_cosignature
      for each statement execute function refuse_change()`);
  }
}
