import { runMigrations } from '../platform/postgres';
import { schema } from '../schema';
import { localEnvironment } from '../dev/local/environment';

/** `npm run migrate`: brings the schema up to date, as the owner of the tables. */
async function migrate(): Promise<void> {
  const { DATABASE_URL, MIGRATION_DATABASE_URL } = await localEnvironment();
  const done = await runMigrations(MIGRATION_DATABASE_URL || DATABASE_URL!, schema, {
    report: (line) => console.log(line),
  });
  console.log(done.length > 0 ? `Migrated: ${done.join(', ')}.` : 'The schema is up to date.');
}

migrate().catch((error: unknown) => {
  console.error(`Migration failed. ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
});
