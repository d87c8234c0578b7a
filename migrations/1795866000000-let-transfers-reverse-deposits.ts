import type { QueryRunner } from 'typeorm';
import type { Migration } from '../src/platform/postgres';
import { CreateBaseline1795847537000 } from './1795847537000-create-baseline';

/**
 * A deposit that was a mistake is reversed by a transfer of its own kind, which belongs to no activity.
 * Its source is the deposit, so `transfer_once` refuses a second reversal. Existing rows are checked by
 * `ValidateReversals1795866200000`, without a lock that blocks payments.
 */
export class LetTransfersReverseDeposits1795866000000 implements Migration {
  readonly serves = CreateBaseline1795847537000.name;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table transfer
        drop constraint transfer_kind_known,
        drop constraint transfer_activity_named,
        add constraint transfer_kind_known
          check (kind in ('deposit', 'reversal', 'fund', 'top-up', 'credit', 'void', 'refund',
                          'payout', 'payout-paid', 'payout-refused', 'payout-returned')) not valid,
        add constraint transfer_activity_named
          check ((kind in ('deposit', 'reversal', 'payout', 'payout-paid', 'payout-refused', 'payout-returned'))
                 = (activity_id is null)) not valid`);
  }
}
