import type { QueryRunner } from 'typeorm';
import type { Migration } from '../src/platform/postgres';

/** Nobody is forgotten while news of their thanks may still be under way, which only the latest thanks decide. */
export class IndexThanksByMoment1795996000000 implements Migration {
  readonly transaction = false;
  readonly serves = 'CreateBaseline1795847537000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`drop index concurrently if exists thanks_by_moment`);
    await runner.query(`create index concurrently thanks_by_moment on thanks (thanked_at)`);
  }
}
