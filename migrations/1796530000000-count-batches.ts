import type { QueryRunner } from 'typeorm';
import type { Migration } from '../src/platform/postgres';

/**
 * The newest commitment of a sponsor has no successor that names it, so the activity counts its
 * commitments. Older programs commit to nothing, and count nothing.
 */
export class CountBatches1796530000000 implements Migration {
  readonly serves = 'LetApprovalsCreate1795600000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table activity add column batches integer not null default 0`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table activity drop column batches`);
  }
}
