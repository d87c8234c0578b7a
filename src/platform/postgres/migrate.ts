import { setTimeout as pause } from 'node:timers/promises';
import { DataSource, type QueryRunner } from 'typeorm';
import { grantToApp } from './app-role';
import { dataSourceOptions } from './data-source';
import { refuseNewer, type Schema, schemaDifference } from './schema';
import { replaceFunctions } from './stored-functions';

/** Any number that nothing else uses: hosts that start at the same time migrate one after the other. */
const MIGRATION_LOCK = 7_264_001;
const TURN_ASKED_EVERY_MS = 100;

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
    await takeTurn(lock);
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

/** Asks again instead of waiting in Postgres: an index that is built concurrently would wait for the statement that waits. */
async function takeTurn(turn: QueryRunner): Promise<void> {
  for (;;) {
    const [row] = (await turn.query('select pg_try_advisory_lock($1) as taken', [MIGRATION_LOCK])) as [
      { taken: boolean },
    ];
    if (row.taken) return;
    await pause(TURN_ASKED_EVERY_MS);
  }
}
