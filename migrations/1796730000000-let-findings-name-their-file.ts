import type { QueryRunner } from 'typeorm';
import type { Migration } from '../src/platform/postgres';

/** A wrong file leaves thousands of findings, which are ended together. Those of former programs name no file. */
export class LetFindingsNameTheirFile1796730000000 implements Migration {
  readonly serves = 'LetApprovalsCreate1795600000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table payout_finding add column statement_id bigint`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table payout_finding drop column statement_id`);
  }
}
