import { runMigrations } from '../platform/postgres';
import { localEnvironment } from './local/environment';

/** `npm run migrate`: brings the schema of DATABASE_URL up to date. */
async function migrate(): Promise<void> {
  const { DATABASE_URL } = await localEnvironment();
  if (!DATABASE_URL) throw new Error('DATABASE_URL is not set.');
  const done = await runMigrations(DATABASE_URL);
  console.log(done.length > 0 ? `Migrated: ${done.join(', ')}.` : 'The schema is up to date.');
}

migrate().catch((error: unknown) => {
  console.error(`Migration failed. ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
});
