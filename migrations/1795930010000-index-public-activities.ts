import type { QueryRunner } from 'typeorm';
import type { Migration } from '../src/platform/postgres';

/** Users list what is public, however many private activities came after it. */
export class IndexPublicActivities1795930010000 implements Migration {
  readonly transaction = false;
  readonly serves = 'CreateBaseline1795847537000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table activity validate constraint activity_audience_known`);
    await runner.query(`drop index concurrently if exists activity_public_by_id`);
    await runner.query(
      `create index concurrently activity_public_by_id on activity (id) where audience = 'public'`,
    );
    await runner.query(`drop index concurrently if exists activity_active_public_by_id`);
    await runner.query(
      `create index concurrently activity_active_public_by_id on activity (id)
        where audience = 'public' and status = 'active'`,
    );
  }
}
