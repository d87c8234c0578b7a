import type { QueryRunner } from 'typeorm';
import type { Migration } from '../src/platform/postgres';

/**
 * The number of parts over which a top-up is dealt: that of the activity, or 1. The part of a
 * packet is computed from it for ever, so it never changes.
 */
export class AddPartsToTopUp1795422690701 implements Migration {
  readonly serves = 'NameServedPrograms1795405532278';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table top_up
        add column parts integer not null default 1,
        add constraint top_up_parts_positive check (parts > 0) not valid;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table top_up drop column parts;`);
  }
}
