import type { QueryRunner } from 'typeorm';
import type { Migration } from '../src/platform/postgres';

const FORMER_ACTIONS = `'wallet.deposit', 'dead-letter.void', 'activity.create', 'activity.top-up'`;

/** A large payout waits for a second person, and so does the end of one that somebody has to decide. */
export class LetApprovalsPayOut1795700030000 implements Migration {
  readonly serves = 'LetApprovalsCreate1795600000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(actions(`${FORMER_ACTIONS}, 'payout.reserve', 'payout.resolve'`, 'not valid'));
  }

  /** Refuses to go back where such an approval is on record: nothing of it may be lost. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query(actions(FORMER_ACTIONS, ''));
  }
}

const actions = (known: string, valid: '' | 'not valid') => `
  alter table approval
    drop constraint approval_action_known,
    add constraint approval_action_known check (action in (${known})) ${valid}`;
