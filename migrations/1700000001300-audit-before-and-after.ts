import type { MigrationInterface, QueryRunner } from 'typeorm';

const APPEND_ONLY = ['audit_log', 'transfer'];

/**
 * Each entry records the state before and after. Rows of this log and of the ledger never change,
 * even for the owner of the tables: that would need a trigger to be removed, which shows.
 */
export class AuditBeforeAndAfter1700000001300 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // The order of locks is that of a deposit, which writes to the ledger first: no deadlock.
    await runner.query(`
      lock table transfer in share row exclusive mode;
      alter table audit_log add column before jsonb not null default '{}';
      alter table audit_log add column after jsonb not null default '{}';

      create function refuse_change() returns trigger language plpgsql as $$
      begin
        raise exception 'rows of % are never changed or deleted', tg_table_name using errcode = 'insufficient_privilege';
      end $$;
    `);
    for (const table of APPEND_ONLY)
      await runner.query(`
        create trigger append_only before update or delete or truncate on ${table}
        for each statement execute function refuse_change();
      `);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of APPEND_ONLY) await runner.query(`drop trigger append_only on ${table}`);
    await runner.query(`
      drop function refuse_change();
      alter table audit_log drop column after;
      alter table audit_log drop column before;
    `);
  }
}
