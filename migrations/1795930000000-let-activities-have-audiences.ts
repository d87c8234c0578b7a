import type { QueryRunner } from 'typeorm';
import type { Migration } from '../src/platform/postgres';

/** Existing activities stay as they are: everybody may know of them. */
export class LetActivitiesHaveAudiences1795930000000 implements Migration {
  readonly serves = 'CreateBaseline1795847537000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table activity
        add column audience text not null default 'public',
        add constraint activity_audience_known
          check (audience in ('public', 'link', 'people', 'password')) not valid`);
  }
}
