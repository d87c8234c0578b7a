import type { QueryRunner } from 'typeorm';
import type { Migration } from '../src/platform/postgres';
import { CreateBaseline1795847537000 } from './1795847537000-create-baseline';

/** Every reversal of a deposit needs two people. */
export class LetApprovalsAskForReversals1795866100000 implements Migration {
  readonly serves = CreateBaseline1795847537000.name;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table approval
        drop constraint approval_action_known,
        add constraint approval_action_known
          check (action in ('wallet.deposit', 'wallet.reverse-deposit', 'dead-letter.void', 'activity.create',
                            'activity.top-up', 'payout.reserve', 'payout.resolve')) not valid`);
  }
}
