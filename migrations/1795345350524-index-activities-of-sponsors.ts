import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Each creation counts what its sponsor has active already: an owner has a bound. */
export class IndexActivitiesOfSponsors1795345350524 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create index activity_of_sponsor on activity (sponsor_id) where status = 'active';`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop index activity_of_sponsor;`);
  }
}
