import type { QueryRunner } from 'typeorm';
import type { Migration } from '../src/platform/postgres';

/**
 * Credits of activities with a channel. One is unsent until it leaves with a payout or is released;
 * both are final. A sweep reads only what is unsent.
 */
export class CreatePayoutCredit1795810010000 implements Migration {
  readonly serves = 'LetApprovalsCreate1795600000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table payout_credit (
        claim_id          bigint      primary key,
        activity_id       bigint      not null,
        channel_id        bigint      not null,
        wallet_account_id bigint      not null,
        amount_minor      bigint      not null,
        due_at            timestamptz not null default now(),
        payout_id         bigint,
        released_at       timestamptz,
        constraint payout_credit_ends_once check (payout_id is null or released_at is null)
      );
      create index payout_credit_due on payout_credit (channel_id, due_at)
       where payout_id is null and released_at is null;
      create index payout_credit_unsent on payout_credit (wallet_account_id)
       where payout_id is null and released_at is null;
      create trigger end_is_final before update on payout_credit
      for each row when (old.payout_id is not null or old.released_at is not null) execute function refuse_change();
      create trigger kept before delete or truncate on payout_credit
      for each statement execute function refuse_change()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop table payout_credit`);
  }
}
