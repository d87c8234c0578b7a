import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Each creation counts the active activities of its sponsor, whose number is bounded. */
export class IndexActivitiesOfSponsors1795345350524 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create index activity_of_sponsor on activity (sponsor_id) where status = 'active';`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop index activity_of_sponsor;`);
  }
}
