import { DataSource } from 'typeorm';
import { grantToApp } from './app-role';
import { dataSourceOptions } from './data-source';
import { refuseNewer, type Schema, schemaDifference } from './schema';
import { replaceFunctions } from './stored-functions';

/** Any number that nothing else uses: hosts that start at the same time migrate one after the other. */
const MIGRATION_LOCK = 7_264_001;

/**
 * Brings the schema up to date: migrations, then functions, then grants. Safe to start many times at once.
 *
 * @returns the names of the migrations that it ran, and of the files whose functions it created
 * @throws Error with one line when a newer program has migrated this database
 */
export async function runMigrations(databaseUrl: string, schema: Schema): Promise<string[]> {
  const dataSource = await new DataSource({
    ...dataSourceOptions({ databaseUrl, poolMax: 2, patient: true }),
    migrations: [...schema.migrations],
    migrationsTransactionMode: 'each',
  }).initialize();
  const lock = dataSource.createQueryRunner();
  try {
    await lock.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    refuseNewer(await schemaDifference(dataSource, schema));
    const migrations = await dataSource.runMigrations();
    const files = await replaceFunctions(dataSource, schema.functions);
    await grantToApp(lock, schema.grants);
    return [...migrations.map(({ name }) => name), ...files];
  } finally {
    await lock.query('select pg_advisory_unlock($1)', [MIGRATION_LOCK]).catch(() => undefined);
    await lock.release();
    await dataSource.destroy();
  }
}
