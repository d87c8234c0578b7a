import { DataSource } from 'typeorm';
import { migrations } from '../../../migrations';
import { grantToApp } from './app-role';
import { dataSourceOptions } from './data-source';

/** Any number that nothing else uses: hosts that start at the same time migrate one after the other. */
const MIGRATION_LOCK = 7_264_001;

/** Brings the schema up to date and returns the names of the migrations that it ran. Safe to start many times at once. */
export async function runMigrations(databaseUrl: string): Promise<string[]> {
  const dataSource = await new DataSource(
    dataSourceOptions({ databaseUrl, poolMax: 2, patient: true }),
  ).initialize();
  const lock = dataSource.createQueryRunner();
  try {
    await lock.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    const done = await dataSource.runMigrations();
    await grantToApp(lock);
    return done.map((migration) => migration.name);
  } finally {
    await lock.query('select pg_advisory_unlock($1)', [MIGRATION_LOCK]).catch(() => undefined);
    await lock.release();
    await dataSource.destroy();
  }
}

/** How the schema differs from the one this program was built for; two empty lists mean that it does not. */
export interface SchemaDifference {
  /** Migrations of this program that the database has not seen. */
  readonly missing: string[];
  /** Migrations of the database that this program does not know: it is older than the schema. */
  readonly unknown: string[];
}

export async function schemaDifference(dataSource: DataSource): Promise<SchemaDifference> {
  const ours = migrations.map((migration) => migration.name);
  const theirs = await appliedMigrations(dataSource);
  return {
    missing: ours.filter((name) => !theirs.includes(name)),
    unknown: theirs.filter((name) => !ours.includes(name)),
  };
}

async function appliedMigrations(dataSource: DataSource): Promise<string[]> {
  const [row] = await dataSource.query<{ table: string | null }[]>(
    `select to_regclass('migrations')::text as "table"`,
  );
  if (row!.table === null) return [];
  const rows: { name: string }[] = await dataSource.query('select name from migrations');
  return rows.map((row) => row.name);
}
