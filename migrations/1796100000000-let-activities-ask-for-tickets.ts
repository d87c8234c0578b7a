import type { QueryRunner } from 'typeorm';
import type { Migration } from '../src/platform/postgres';

/** Admission by tickets; activities of older programs are open. */
export class LetActivitiesAskForTickets1796100000000 implements Migration {
  readonly serves = 'LetApprovalsCreate1795600000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table activity
        add column admission text not null default 'open',
        add constraint activity_admission_known check (admission in ('open', 'ticket')) not valid`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table activity drop column admission`);
  }
}
