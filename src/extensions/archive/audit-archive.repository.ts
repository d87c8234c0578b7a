import type { DataSource, EntityManager } from 'typeorm';
import type { AuditMonth } from './archive-file';
import { linesOf } from './archive.repository';

export interface AuditRecord extends AuditMonth {
  readonly file: string;
  readonly entries: string;
  readonly digest: Buffer;
  /** Entries that have left the log. */
  readonly removed: string;
}

const RECORD = `month, file, entries, digest, removed`;

/** Entries of a month that are still in the log. Ids are null when there are none. */
export interface EntriesLeft {
  readonly count: string;
  readonly firstId: string | null;
  readonly lastId: string | null;
}

/** Removing this many makes all writers of the log wait a tenth of a second. */
const ENTRIES_AT_ONCE = 5_000;

export class AuditArchiveRepository {
  constructor(private readonly dataSource: DataSource) {}

  unfinished(): Promise<AuditRecord[]> {
    return this.dataSource.query(
      `select ${RECORD} from audit_archive where removed_at is null order by month`,
    );
  }

  async findMonth(month: string): Promise<AuditRecord | undefined> {
    const [row] = await this.dataSource.query<AuditRecord[]>(
      `select ${RECORD} from audit_archive where month = $1`,
      [month],
    );
    return row;
  }

  /** Months that ended at least `days` ago, oldest first. They receive no more entries. */
  async over(days: number): Promise<string[]> {
    const rows = await this.dataSource.query<{ month: string }[]>(
      `select month
         from (select distinct to_char(at at time zone 'UTC', 'YYYY-MM') as month from audit_log
                where date_trunc('month', at at time zone 'UTC') + interval '1 month'
                      <= now() at time zone 'UTC' - make_interval(days => $1)) as past
        where not exists (select from audit_archive where audit_archive.month = past.month)
        order by 1`,
      [days],
    );
    return rows.map(({ month }) => month);
  }

  lines(tx: EntityManager, month: string): AsyncGenerator<readonly string[]> {
    return linesOf(
      tx,
      `select json_build_object('entry', id::text, 'at', extract(epoch from at)::text, 'actor', actor_id, 'via', via,
                                'action', action, 'subject', subject, 'before', before, 'after', after,
                                'detail', detail)::text as line
         from audit_log where ${isIn(month)} order by id`,
    );
  }

  async record(month: string, file: string, digest: Buffer): Promise<AuditRecord> {
    await this.dataSource.query(
      `insert into audit_archive (month, file, entries, digest)
       select $1, $2, count(*), $3 from audit_log where ${isIn(month)}`,
      [month, file, digest],
    );
    return (await this.findMonth(month))!;
  }

  async entriesLeft(month: string): Promise<EntriesLeft> {
    const [row] = await this.dataSource.query<EntriesLeft[]>(
      `select count(*) as count, min(id) as "firstId", max(id) as "lastId" from audit_log where ${isIn(month)}`,
    );
    return row!;
  }

  /**
   * Removes some entries of a month in the caller's transaction, which locks the log against writes
   * until it ends. The trigger forbids deletion to everyone else, the owner included.
   *
   * @returns the id of the last one that it removed; null when none was left
   */
  async remove(tx: EntityManager, month: string, firstId: string, lastId: string): Promise<string | null> {
    await tx.query('alter table audit_log disable trigger append_only');
    const [row] = await tx.query<{ lastId: string | null }[]>(
      `with chosen as (
         select id from audit_log where id between $2 and $3 and ${isIn(month)} order by id limit ${ENTRIES_AT_ONCE}
       ), gone as (
         delete from audit_log where id in (select id from chosen) returning id
       ), counted as (
         update audit_archive set removed = removed + (select count(*) from gone) where month = $1
       )
       select max(id) as "lastId" from gone`,
      [month, firstId, lastId],
    );
    await tx.query('alter table audit_log enable trigger append_only');
    return row!.lastId;
  }

  async setRemoved(month: string): Promise<void> {
    await this.dataSource.query(`update audit_archive set removed_at = now() where month = $1`, [month]);
  }
}

function isIn(month: string): string {
  const first = new Date(`${month}-01T00:00:00Z`);
  const beyond = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1));
  return `at >= '${first.toISOString()}' and at < '${beyond.toISOString()}'`;
}
