import type { QueryRunner } from 'typeorm';
import type { Migration } from '../src/platform/postgres';

/**
 * Creations and top-ups by staff wait for a second user as well. Such an approval names what it led
 * to: an older program would take it for a deposit, and cannot approve it without that name.
 */
export class LetApprovalsCreate1795600000000 implements Migration {
  readonly serves = 'CheckParts1795422690801';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table approval
        add column result_id bigint,
        drop constraint approval_action_known,
        add constraint approval_action_known
          check (action in ('wallet.deposit', 'dead-letter.void', 'activity.create', 'activity.top-up')) not valid,
        add constraint approval_result_named
          check ((result_id is not null) = (status = 'approved' and action in ('activity.create', 'activity.top-up')))
          not valid;
    `);
  }

  /** Refuses to go back where an approval of a creation is on record. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table approval
        drop column result_id,
        drop constraint approval_action_known,
        add constraint approval_action_known check (action in ('wallet.deposit', 'dead-letter.void'));
    `);
  }
}
