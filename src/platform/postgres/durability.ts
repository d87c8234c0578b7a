import type { DataSource } from 'typeorm';

/** Settings of the server without which a commit is no promise, as lines for the operator. Empty when all is well. */
export async function durabilityFaults(dataSource: DataSource): Promise<string[]> {
  const rows: { name: string; setting: string }[] = await dataSource.query(
    `select name, setting from pg_settings where name in ('fsync', 'synchronous_commit', 'full_page_writes')`,
  );
  return rows.filter((row) => row.setting === 'off').map((row) => `Postgres runs with ${row.name}=off.`);
}
