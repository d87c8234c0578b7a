import { parseArgs } from 'node:util';
import { readEnvironment } from '../../libs/environment';
import { runMigrations } from '../platform/postgres';
import { schema } from '../schema';

/**
 * `npm run migrate`: brings the schema up to date, as the owner of the tables. It takes no
 * arguments.
 */
async function migrate(): Promise<void> {
  parseArgs({ options: {} });
  const { DATABASE_URL, MIGRATION_DATABASE_URL, DATABASE_ROLE } = readEnvironment();
  const url = MIGRATION_DATABASE_URL || DATABASE_URL;
  if (!url) throw new Error('DATABASE_URL is not set.');
  const done = await runMigrations(url, schema, {
    role: DATABASE_ROLE || undefined,
    report: (line) => console.log(line),
  });
  console.log(done.length > 0 ? `Migrated: ${done.join(', ')}.` : 'The schema is up to date.');
}

migrate().catch((error: unknown) => {
  console.error(`Migration failed. ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
});
