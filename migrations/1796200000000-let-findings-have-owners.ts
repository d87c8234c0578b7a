import type { QueryRunner } from 'typeorm';
import type { Migration } from '../src/platform/postgres';

/** A finding waits for a person. Without a name on it, two people find the same thing out, or nobody does. */
export class LetFindingsHaveOwners1796200000000 implements Migration {
  readonly serves = 'LetApprovalsCreate1795600000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table payout_finding add column owner text`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table payout_finding drop column owner`);
  }
}
