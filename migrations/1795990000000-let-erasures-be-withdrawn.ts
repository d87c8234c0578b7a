import type { QueryRunner } from 'typeorm';
import type { Migration } from '../src/platform/postgres';

/**
 * A withdrawn request has an end like one that is done, and the id leaves the row then too. Until then, the row is
 * about the person whom two people have agreed on.
 */
export class LetErasuresBeWithdrawn1795990000000 implements Migration {
  readonly serves = 'CreateBaseline1795847537000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table erasure
        add column withdrawn_at timestamptz,
        add column withdrawn_by text,
        drop constraint erasure_forgets,
        add constraint erasure_forgets check (num_nonnulls(user_id, done_at, withdrawn_at) = 1) not valid,
        add constraint erasure_withdrawn_by_somebody
          check ((withdrawn_at is null) = (withdrawn_by is null)) not valid,
        add constraint erasure_withdrawn_before_it_began
          check (withdrawn_at is null or pseudonym is null) not valid`);
    await runner.query(`
      create or replace trigger end_is_final before update on erasure
      for each row when (old.user_id is null or new.user_id <> old.user_id) execute function refuse_change()`);
  }
}
