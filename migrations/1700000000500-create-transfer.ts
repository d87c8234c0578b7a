import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The ledger, insert-only (decision 6). source_id names the reason of a transfer, once within its
 * kind: the claim of a credit, the activity of a fund or refund, the idempotency key of a deposit.
 * The second index leaves credits out, because no reader lists the entries of an escrow.
 */
export class CreateTransfer1700000000500 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table transfer (
        id                bigint generated always as identity primary key,
        kind              text        not null,
        source_id         bigint      not null,
        activity_id       bigint,
        debit_account_id  bigint      not null,
        credit_account_id bigint      not null,
        amount_minor      bigint      not null,
        created_at        timestamptz not null default now(),
        constraint transfer_once unique (kind, source_id),
        constraint transfer_kind_known check (kind in ('deposit', 'fund', 'credit', 'refund')),
        constraint transfer_amount_positive check (amount_minor > 0),
        constraint transfer_accounts_differ check (debit_account_id <> credit_account_id),
        constraint transfer_activity_named check ((kind = 'deposit') = (activity_id is null))
      );
      create index transfer_by_credit_account on transfer (credit_account_id, id);
      create index transfer_by_debit_account on transfer (debit_account_id, id) where kind <> 'credit';
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop table transfer;`);
  }
}
