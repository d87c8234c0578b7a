import type { QueryRunner } from 'typeorm';
import type { Migration } from '../src/platform/postgres';

/** From now on, programs may move the end of a window. `npm run migrate` grants that. */
export class LetActivitiesBeExtended1795880000000 implements Migration {
  readonly serves = 'CreateBaseline1795847537000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `comment on column activity.closes_at is 'Moves to a later instant only, and not once the end is decided'`,
    );
  }
}
