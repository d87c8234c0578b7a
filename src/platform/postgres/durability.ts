import type { DataSource } from 'typeorm';
import type { Queries } from './queries';

/** Some clouds guarantee durability below the server, and switch these off. */
export const BY_PLATFORM: readonly string[] = ['fsync', 'full_page_writes'];

/**
 * Returns a line for the operator for each setting under which the server may lose a commit, or under which
 * our statements, which expect to see each other's rows, would fail.
 */
export async function durabilityFaults(db: Queries, isKeptByPlatform = false): Promise<string[]> {
  const rows: { name: string; setting: string }[] = await db.query(
    `select name, setting from pg_settings
      where name in ('fsync', 'synchronous_commit', 'full_page_writes') and setting = 'off'
         or name = 'default_transaction_isolation' and setting <> 'read committed'
      order by name`,
  );
  return rows
    .filter(({ name }) => !(isKeptByPlatform && BY_PLATFORM.includes(name)))
    .map(({ name, setting }) => `Postgres runs with ${name}=${setting}.`);
}

/**
 * Returns a line for the operator if text was sorted by a different version of the collation from the
 * server's, as after a move to another operating system. An index then misses existing rows, and a unique
 * constraint admits duplicates.
 */
export async function collationFault(db: Queries): Promise<string | undefined> {
  const [row]: { name: string; made: string; now: string }[] = await db.query(
    `select quote_ident(datname) as name, datcollversion as made,
            coalesce(pg_database_collation_actual_version(oid), 'unknown') as now
       from pg_database
      where datname = current_database() and datcollversion is not null
        and datcollversion is distinct from pg_database_collation_actual_version(oid)`,
  );
  if (!row) return undefined;
  const { name, made, now } = row;
  return (
    `Texts of this database were sorted by version ${made} of its collation, and the server has ${now}: a unique ` +
    `constraint may miss a row. Run \`reindex database ${name}\`, then \`alter database ${name} refresh collation version\`.`
  );
}

/** Writes are refused by a replica, a server made read-only after a failover, and a read-only database. */
export async function isReadOnly(dataSource: DataSource): Promise<boolean> {
  const [row]: { readOnly: boolean }[] = await dataSource.query(
    `select pg_is_in_recovery() or current_setting('transaction_read_only')::boolean as "readOnly"`,
  );
  return row!.readOnly;
}

/** Postgres keeps these for a superuser who vacuums by hand. */
const NUMBERS_KEPT_BACK = 3_000_000;

/** Returns the transaction numbers left before the server refuses writes. Vacuum makes more. */
export async function transactionNumbersLeft(dataSource: DataSource): Promise<number> {
  const [row]: { oldest: number }[] = await dataSource.query(
    `select max(greatest(age(datfrozenxid), mxid_age(datminmxid))) as oldest from pg_database`,
  );
  return 2 ** 31 - NUMBERS_KEPT_BACK - row!.oldest;
}

/**
 * Makes the server write some hundred kilobytes to its disk and discard them: a sort that does not fit into
 * memory. It leaves neither rows nor log.
 * @throws the server's error when it cannot write, such as 53100
 */
export async function writeToDisk(dataSource: DataSource): Promise<void> {
  await dataSource.transaction(async (tx) => {
    await tx.query(`set local work_mem = '64kB'`);
    await tx.query(
      `select count(*) from (select repeat('x', 100) || i from generate_series(1, 3000) as i order by 1 desc offset 1) as sorted`,
    );
  });
}
