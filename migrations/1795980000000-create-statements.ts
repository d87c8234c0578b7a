import type { QueryRunner } from 'typeorm';
import type { Migration } from '../src/platform/postgres';

/**
 * Statements that were issued. A day has the entries of its account with ids above `from_id` and up to `to_id`, so none
 * is in two days, and none is lost between two. `credit_in` is the activity of the newest credit before the day, or 0:
 * from there, an earlier day follows the chain of credits.
 *
 * The digests are forever those of the texts that version `texts_version` of their writers makes.
 *
 * Rows can be inserted only for wallets and for days that are over. That takes no lock on the account.
 *
 * The lines repeat the ledger, because credits leave it when they are archived. Nothing here names a person.
 *
 * `wallet_statement_unproven` names the statements that no verification has proven yet. A trigger adds them. Unlike a
 * mark, a queue does not depend on the order of commits.
 *
 * `wallet_statement_walk` keeps how far a request for an old day has walked, for the next request: all entries with ids
 * above `up_to_id` are later than `day`, and before them the balance was `balance_minor`.
 */
export class CreateStatements1795980000000 implements Migration {
  readonly serves = 'CreateBaseline1795847537000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table wallet_statement (
        account_id    bigint      not null,
        day           date        not null,
        from_id       bigint      not null,
        to_id         bigint      not null,
        opening_minor bigint      not null,
        closing_minor bigint      not null,
        movements     integer     not null,
        credit_in     bigint      not null,
        issued_at     timestamptz not null,
        texts_version smallint    not null,
        digest_json   bytea       not null,
        digest_csv    bytea       not null,
        digest_camt   bytea,
        constraint wallet_statement_pkey primary key (account_id, day),
        constraint wallet_statement_forward check (from_id <= to_id),
        constraint wallet_statement_over check (issued_at >= (day + 1)::timestamp at time zone 'UTC'),
        constraint wallet_statement_counted check (movements >= 0 and (movements = 0) = (from_id = to_id)),
        constraint wallet_statement_sha256
          check (octet_length(digest_json) = 32 and octet_length(digest_csv) = 32 and octet_length(digest_camt) = 32)
      );
      create trigger append_only before update or delete or truncate on wallet_statement
      for each statement execute function refuse_change();

      create function refuse_statement() returns trigger language plpgsql as $$
      begin
        if not exists (select from account
                         join currency on number = currency_number
                        where id = new.account_id and account.kind = 'wallet' and currency.kind <> 'test'
                          and (account.created_at at time zone 'UTC')::date <= new.day) then
          raise exception 'account % has no statement of %', new.account_id, new.day using errcode = 'check_violation';
        end if;
        return new;
      end $$;
      create trigger of_wallet before insert on wallet_statement
      for each row execute function refuse_statement();

      create table wallet_statement_unproven (
        account_id bigint not null,
        day        date   not null,
        constraint wallet_statement_unproven_pkey primary key (account_id, day)
      );
      create function await_proof_of_statement() returns trigger language plpgsql as $$
      begin
        insert into wallet_statement_unproven values (new.account_id, new.day);
        return null;
      end $$;
      create trigger unproven after insert on wallet_statement
      for each row execute function await_proof_of_statement();

      create table wallet_statement_walk (
        account_id    bigint not null,
        day           date   not null,
        up_to_id      bigint not null,
        credit_in     bigint not null,
        balance_minor bigint not null,
        constraint wallet_statement_walk_pkey primary key (account_id)
      );

      create table wallet_statement_line (
        account_id   bigint      not null,
        transfer_id  bigint      not null,
        kind         text        not null,
        amount_minor bigint      not null,
        activity_id  bigint,
        payout_id    bigint,
        at           timestamptz not null,
        constraint wallet_statement_line_pkey primary key (account_id, transfer_id),
        constraint wallet_statement_line_moves check (amount_minor <> 0),
        constraint wallet_statement_line_of_one check (activity_id is null or payout_id is null)
      );
      create trigger append_only before update or delete or truncate on wallet_statement_line
      for each statement execute function refuse_change()`);
  }
}
