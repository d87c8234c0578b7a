import type { QueryRunner } from 'typeorm';
import type { Migration } from '../src/platform/postgres';

/** No payout is in another currency before programs know of them, so this only reads. */
export class ValidateCallsInACurrency1795900070000 implements Migration {
  readonly serves = 'CreateBaseline1795847537000';
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table payout validate constraint payout_called_in_its_currency');
  }
}
