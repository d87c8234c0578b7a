import type { QueryRunner } from 'typeorm';
import type { Migration } from '../src/platform/postgres';

/** Winners list the codes that they have seen, however many others have seen theirs. */
export class IndexCodesByWinner1795995000000 implements Migration {
  readonly transaction = false;
  readonly serves = 'CreateBaseline1795847537000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`drop index concurrently if exists code_showing_by_winner`);
    await runner.query(
      `create index concurrently code_showing_by_winner on code_showing (user_id, activity_id, packet_no)`,
    );
  }
}
