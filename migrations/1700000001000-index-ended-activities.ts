import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The sweeper asks every second which activities have ended lately, and whether Redis knows. */
export class IndexEndedActivities1700000001000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create index activity_ended on activity (closed_at) where status <> 'active';`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop index activity_ended;`);
  }
}
