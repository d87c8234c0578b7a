import type { QueryRunner } from 'typeorm';
import type { Migration } from '../src/platform/postgres';

/**
 * Requests of one user that another user decides, once. A row holds all that the action needs, with
 * the source of its transfer, so that the ledger takes it once. It stays on record.
 */
export class CreateApproval1795406304860 implements Migration {
  readonly serves = 'NameServedPrograms1795405532278';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table approval (
        id           bigint generated always as identity primary key,
        action       text        not null,
        subject_id   text        not null,
        source_id    bigint      not null,
        amount_minor bigint      not null,
        terms        jsonb       not null,
        asked_by     text        not null,
        asked_at     timestamptz not null default now(),
        expires_at   timestamptz not null,
        status       text        not null default 'pending',
        decided_by   text,
        decided_at   timestamptz,
        constraint approval_action_known check (action in ('wallet.deposit', 'dead-letter.void')),
        constraint approval_status_known check (status in ('pending', 'approved', 'rejected')),
        constraint approval_amount_positive check (amount_minor > 0),
        constraint approval_decision_signed check ((status = 'pending') = (decided_by is null)),
        constraint approval_decision_dated check ((status = 'pending') = (decided_at is null)),
        constraint approval_decided_in_time check (decided_at < expires_at),
        constraint approval_by_another check (decided_by <> asked_by)
      );
      create trigger decision_is_final before update on approval
      for each row when (old.status <> 'pending') execute function refuse_change();
      create trigger kept before delete or truncate on approval
      for each statement execute function refuse_change();
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop table approval;`);
  }
}
