import type { QueryRunner } from 'typeorm';
import type { Migration } from '../src/platform/postgres';

/**
 * The number of parts of Redis over which the packets of an activity are dealt: 1 where an older
 * program creates it.
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
