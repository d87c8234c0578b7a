import type { QueryRunner } from 'typeorm';
import type { Migration } from '../src/platform/postgres';

/**
 * A witness signs a checkpoint again while nobody wins, so that the time of its signature says that it still sees the
 * log. The time is in the line: behind the dash and the name, and the four bytes of the hash of the key.
 */
export class RenewCosignatures1795990000000 implements Migration {
  readonly serves = 'CreateBaseline1795847537000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table claim_cosignature
        add column cosigned_at bigint not null generated always as (
          ('x' || encode(substring(decode(split_part(line, ' ', 3), 'base64') from 5 for 8), 'hex'))::bit(64)::bigint) stored,
        drop constraint claim_cosignature_pkey,
        add constraint claim_cosignature_pkey primary key (verifier_key, tree_size, cosigned_at)`);
  }
}
