import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Operators list what a sponsor has created, newest first. The index is built beside creations,
 * hence outside a transaction; an unfinished one of an interrupted build is dropped and built
 * again.
 */
export class IndexAllActivitiesOfSponsors1795394587790 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`drop index concurrently if exists activity_by_sponsor`);
    await runner.query(`create index concurrently activity_by_sponsor on activity (sponsor_id, id)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop index concurrently activity_by_sponsor`);
  }
}
