import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Records how an activity ends, step by step, so that a crash or a forgetful Redis changes nothing:
 *
 * - `ending`, with its moment: the end is decided, and its kind. It is written before Redis is
 *   notified; the activity is never loaded again as one that can be grabbed from.
 * - `tidied_at`: Redis has received all its claims and holds no packets of it any more.
 * - `forgotten_at`: Redis holds nothing of it any more; Postgres answers from now on.
 */
export class AddEndingsToActivity1795343726897 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table activity
        add column ending text,
        add column ending_at timestamptz,
        add column tidied_at timestamptz,
        add column forgotten_at timestamptz,
        add constraint activity_ending_known check (ending in ('closed', 'cancelled')),
        add constraint activity_ending_dated check ((ending is null) = (ending_at is null));
      create index activity_in_redis on activity (closed_at) where status <> 'active' and forgotten_at is null;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop index activity_in_redis;
      alter table activity
        drop column forgotten_at,
        drop column tidied_at,
        drop column ending_at,
        drop column ending;
    `);
  }
}
