import type { Queries } from './queries';

export interface HistoryMark {
  /** Commits may be missing when this differs: another cluster, database or timeline. */
  readonly history: string;
  /** 16 hex digits, flushed to disk. It only grows, unless an older copy takes over. */
  readonly flushed: string;
}

/** Undefined from a standby: its history after a promotion is not known yet. */
export async function historyMark(db: Queries): Promise<HistoryMark | undefined> {
  const [row] = await db.query<HistoryMark[]>(
    `select (select system_identifier from pg_control_system()) || '.' ||
            (select oid from pg_database where datname = current_database()) || '.' ||
            left(pg_walfile_name(pg_current_wal_lsn()), 8) as history,
            lpad(to_hex((pg_current_wal_flush_lsn() - pg_lsn '0/0')::bigint), 16, '0') as flushed
      where not pg_is_in_recovery()`,
  );
  return row;
}
