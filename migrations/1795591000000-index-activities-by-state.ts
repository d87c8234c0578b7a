import type { QueryRunner } from 'typeorm';
import type { Migration } from '../src/platform/postgres';

/**
 * Users list activities by phase, newest first. Without these, a page of open ones walks through
 * all that ended after them. The second one also replaces `activity_of_sponsor`.
 */
const INDEXES = {
  activity_active_by_id: `(id) where status = 'active'`,
  activity_active_by_sponsor: `(sponsor_id, id) where status = 'active'`,
  activity_ended_by_id: `(id) where status <> 'active'`,
};

export class IndexActivitiesByState1795591000000 implements Migration {
  readonly transaction = false;
  readonly serves = 'CountRemovedEntries1795590000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const [name, rows] of Object.entries(INDEXES)) {
      await runner.query(`drop index concurrently if exists ${name}`);
      await runner.query(`create index concurrently ${name} on activity ${rows}`);
    }
    await runner.query(`drop index concurrently if exists activity_of_sponsor`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop index concurrently if exists activity_of_sponsor`);
    await runner.query(
      `create index concurrently activity_of_sponsor on activity (sponsor_id) where status = 'active'`,
    );
    for (const name of Object.keys(INDEXES)) await runner.query(`drop index concurrently if exists ${name}`);
  }
}
