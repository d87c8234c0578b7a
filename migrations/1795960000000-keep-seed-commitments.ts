import type { QueryRunner } from 'typeorm';
import type { Migration } from '../src/platform/postgres';

/**
 * Seeds that were drawn before their sponsors sent a word, by the hash that the sponsors were given. One request takes
 * a row; from then on, the activity has the seed. Rows that have expired are swept.
 */
export class KeepSeedCommitments1795960000000 implements Migration {
  readonly serves = 'CreateBaseline1795847537000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table seed_commitment (
        commitment bytea       not null,
        user_id    text        not null,
        seed       text        not null,
        expires_at timestamptz not null,
        taken_for  bigint,
        constraint seed_commitment_pkey primary key (commitment),
        constraint seed_commitment_taken_once unique (taken_for),
        constraint seed_commitment_to_seed check (
          commitment = sha256('hongbao.seed.v1\\000'::bytea || decode(seed, 'hex')))
      );
      create index seed_commitment_by_user on seed_commitment (user_id, expires_at);
      create index seed_commitment_by_end on seed_commitment (expires_at)`);
  }
}
