import type { DataSource, EntityManager } from 'typeorm';
import type { AuditMonth } from './archive-file';
import { linesOf } from './archive.repository';

export interface AuditRecord extends AuditMonth {
  readonly file: string;
  readonly entries: string;
  readonly digest: Buffer;
}

/** Months of the audit log, and the record of their archiving. */
export class AuditArchiveRepository {
  constructor(private readonly dataSource: DataSource) {}

  unfinished(): Promise<AuditRecord[]> {
    return this.dataSource.query(
      `select month, file, entries, digest from audit_archive where removed_at is null order by month`,
    );
  }

  async findMonth(month: string): Promise<AuditRecord | undefined> {
    const [row] = await this.dataSource.query<AuditRecord[]>(
      `select month, file, entries, digest from audit_archive where month = $1`,
      [month],
    );
    return row;
  }

  /** Returns months that ended at least `days` ago, oldest first. They receive no more entries. */
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

  /**
   * Removes a month in the caller's transaction, which locks the log against writes until it ends.
   * The trigger forbids deletion to everyone else, the owner included.
   *
   * @returns the number of entries removed
   */
  async remove(tx: EntityManager, month: string): Promise<string> {
    await tx.query('alter table audit_log disable trigger append_only');
    const [row] = await tx.query<{ count: string }[]>(
      `with removed as (delete from audit_log where ${isIn(month)} returning id) select count(*) as count from removed`,
    );
    await tx.query('alter table audit_log enable trigger append_only');
    await tx.query(`update audit_archive set removed_at = now() where month = $1`, [month]);
    return row!.count;
  }
}

function isIn(month: string): string {
  const first = new Date(`${month}-01T00:00:00Z`);
  const beyond = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1));
  return `at >= '${first.toISOString()}' and at < '${beyond.toISOString()}'`;
}
