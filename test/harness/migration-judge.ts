import type { DataSource, QueryRunner } from 'typeorm';
import type { Migration, MigrationClass, Queries } from '../../src/platform/postgres';

interface Table {
  readonly oid: number;
  readonly name: string;
  /** The number of its file, which changes when the table is rewritten. */
  readonly file: number;
  readonly scans: number;
  readonly columns: readonly string[];
}

/** Tables that migrating itself reads. They are always small. */
const BOOKKEEPING = ['migrations', 'setting', 'stored_function'];

/** Modes that keep others from writing to a table, or even from reading it. */
const STRONG = ['ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock'];

/** Statements that may take long, because they block neither reads nor writes. */
const HARMLESS =
  /^(create (unique )?index concurrently|drop index concurrently|reindex \w+ concurrently|alter table \w+ validate constraint|select|insert|update|delete|with)\b/i;

/**
 * Runs a migration and returns one line for each effect that older programs would notice, judged by
 * the locks that Postgres takes and the tables that it reads or rewrites.
 * @param earlier the names of all migrations before it
 * @param keep true if its changes are to stay
 */
export async function harmsOf(
  dataSource: DataSource,
  migration: MigrationClass,
  earlier: readonly string[],
  keep = true,
): Promise<string[]> {
  const instance = new migration();
  const runner = dataSource.createQueryRunner();
  try {
    const seen =
      instance.transaction === false
        ? await inBackground(runner, instance)
        : await inTransaction(runner, instance, keep);
    return instance.serves === migration.name ? [] : [...undeclared(instance.serves, earlier), ...seen];
  } finally {
    if (runner.isTransactionActive) await runner.rollbackTransaction();
    await runner.release();
  }
}

function undeclared(serves: Migration['serves'], earlier: readonly string[]): string[] {
  if (serves === undefined) return ['does not say which programs it serves'];
  return earlier.includes(serves) ? [] : [`serves ${serves}, which is not an earlier migration`];
}

async function inBackground(runner: QueryRunner, migration: Migration): Promise<string[]> {
  const statements: string[] = [];
  const query = runner.query.bind(runner);
  jest.spyOn(runner, 'query').mockImplementation((sql, values) => {
    statements.push(...sql.split(';').map((statement) => statement.trim()));
    return query(sql, values);
  });
  await migration.up(runner);
  return statements
    .filter((statement) => statement !== '' && !HARMLESS.test(statement))
    .map((statement) => `runs outside of a transaction: ${statement}`);
}

async function inTransaction(runner: QueryRunner, migration: Migration, keep: boolean): Promise<string[]> {
  await runner.startTransaction();
  const before = await tablesOf(runner.manager);
  await migration.up(runner);
  const harms = await harmsSince(before, runner.manager);
  if (keep) await runner.commitTransaction();
  return harms;
}

const tablesOf = (db: Queries): Promise<Table[]> =>
  db.query(
    `select oid, coalesce(pg_partition_root(oid)::oid, oid)::regclass::text as name, relfilenode as file, pg_stat_get_xact_numscans(oid)::integer as scans,
            array(select attname::text from pg_attribute
                   where attrelid = pg_class.oid and attnum > 0 and not attisdropped) as columns
       from pg_class
      where relkind = 'r' and relnamespace = current_schema()::regnamespace and relname <> all($1)
      order by relname`,
    [BOOKKEEPING],
  );

async function harmsSince(before: readonly Table[], db: Queries): Promise<string[]> {
  const after = new Map((await tablesOf(db)).map((table) => [table.oid, table]));
  const locked = await lockedIn(db, before);
  const harms = [
    ...before.flatMap((table) => passesOver(table, after.get(table.oid))),
    ...(locked.length > 1 ? [`locks more than one table: ${locked.join(', ')}`] : []),
    ...(await demandedIn(db, before)),
  ];
  return [...new Set(harms)];
}

/** Rewriting a table also reads it, which is not reported again. */
function passesOver({ name, file, scans }: Table, after: Table | undefined): string[] {
  if (!after) return [];
  if (after.file !== file) return [`rewrites ${name} while it is locked`];
  return after.scans > scans ? [`reads ${name} from end to end while it is locked`] : [];
}

async function lockedIn(db: Queries, before: readonly Table[]): Promise<string[]> {
  const rows = await db.query<{ relation: number }[]>(
    'select relation from pg_locks where pid = pg_backend_pid() and mode = any($1) and relation is not null',
    [STRONG],
  );
  const locked = before.filter(({ oid }) => rows.some(({ relation }) => relation === oid));
  return [...new Set(locked.map(({ name }) => name))];
}

/** New columns that an older program would have to fill. */
async function demandedIn(db: Queries, before: readonly Table[]): Promise<string[]> {
  const rows = await db.query<{ oid: number; column: string }[]>(
    `select attrelid as oid, attname::text as column from pg_attribute
      where attrelid = any($1::oid[]) and attnum > 0 and not attisdropped
        and attnotnull and not atthasdef and attidentity = '' and attgenerated = ''`,
    [before.map(({ oid }) => oid)],
  );
  return before.flatMap(({ oid, name, columns }) =>
    rows
      .filter((row) => row.oid === oid && !columns.includes(row.column))
      .map(({ column }) => `demands ${name}.${column}, which older programs leave out`),
  );
}
