import type { QueryRunner } from 'typeorm';
import type { Migration } from '../src/platform/postgres';

/**
 * The number of parts of Redis that the packets of an activity are dealt over. All existing
 * activities have one, and so has every activity that an older program creates.
 */
export class AddPartsToActivity1795422690601 implements Migration {
  readonly serves = 'NameServedPrograms1795405532278';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table activity
        add column parts integer not null default 1,
        add constraint activity_parts_positive check (parts > 0) not valid;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table activity drop column parts;`);
  }
}
