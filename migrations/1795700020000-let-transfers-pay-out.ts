import type { QueryRunner } from 'typeorm';
import type { Migration } from '../src/platform/postgres';

const FORMER_KINDS = `'deposit', 'fund', 'top-up', 'credit', 'void', 'refund'`;
const KINDS = `'payout', 'payout-paid', 'payout-refused', 'payout-returned'`;

/**
 * The transfers of payouts belong to no activity. They have a partition of their own, because there
 * may be as many as credits.
 */
export class LetTransfersPayOut1795700020000 implements Migration {
  readonly serves = 'LetApprovalsCreate1795600000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(PARTITION);
    await runner.query(rules(`${FORMER_KINDS}, ${KINDS}`, `'deposit', ${KINDS}`, 'not valid'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop table transfer_payout`);
    await runner.query(rules(FORMER_KINDS, `'deposit'`, ''));
  }
}

const PARTITION = `
  create table transfer_payout partition of transfer for values in (${KINDS});
  create index transfer_payout_by_credit_account on transfer_payout (credit_account_id, id);
  create index transfer_payout_by_debit_account on transfer_payout (debit_account_id, id);
  create trigger append_only before update or delete or truncate on transfer_payout
  for each statement execute function refuse_change()`;

const rules = (kinds: string, withoutActivity: string, valid: '' | 'not valid') => `
  alter table transfer
    drop constraint transfer_kind_known,
    add constraint transfer_kind_known check (kind in (${kinds})) ${valid},
    drop constraint transfer_activity_named,
    add constraint transfer_activity_named check ((kind in (${withoutActivity})) = (activity_id is null)) ${valid}`;
