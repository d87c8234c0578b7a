import type { QueryRunner } from 'typeorm';
import type { Migration } from '../src/platform/postgres';

/**
 * The lowest format whose programs know all terms of the activity that restrict who wins. Programs
 * that know neither tickets nor limits would let everybody in, so they are not served any more; the
 * others need no value in the rows that they write, because every program knows the terms up to its
 * own format.
 */
export class GiveActivitiesAFormat1796740000000 implements Migration {
  readonly serves = 'CreateWinCount1796520010000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table activity add column format smallint not null default 1`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table activity drop column format`);
  }
}
