import type { QueryRunner } from 'typeorm';
import type { Migration } from '../src/platform/postgres';

/** Every erasure needs two people. It is the only deed without an amount. */
export class LetApprovalsAskForErasures1795970010000 implements Migration {
  readonly serves = 'CreateBaseline1795847537000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table approval
        drop constraint approval_action_known,
        drop constraint approval_amount_positive,
        add constraint approval_action_known
          check (action in ('wallet.deposit', 'wallet.reverse-deposit', 'dead-letter.void', 'activity.create',
                            'activity.top-up', 'payout.reserve', 'payout.resolve', 'user.erase')) not valid,
        add constraint approval_amount_positive
          check (case when action = 'user.erase' then amount_minor = 0 else amount_minor > 0 end) not valid`);
  }
}
