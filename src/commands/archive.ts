import 'reflect-metadata';
import { parseArgs } from 'node:util';
import { readEnvironment } from '../../libs/environment';
import { runArchive } from '../extensions/archive';
import { loadConfig } from '../platform/config';
import { dataSourceOptions, poolOf } from '../platform/postgres';

/**
 * `npm run archive`: moves old activities and audit records to files, as the tables' owner. It takes
 * no arguments.
 */
async function archive(): Promise<void> {
  parseArgs({ options: {} });
  const environment = readEnvironment();
  const config = loadConfig(environment);
  const { ARCHIVE_DIR: directory, ARCHIVE_AFTER_DAYS: days, AUDIT_KEPT_DAYS: auditKeptDays } = config;
  if (directory === undefined) throw new Error('Set ARCHIVE_DIR to the directory that files are written to.');
  const databaseUrl = environment.MIGRATION_DATABASE_URL || environment.DATABASE_URL!;
  const pool = await poolOf(dataSourceOptions({ databaseUrl, poolMax: 3, patient: true }));
  const dataSource = await pool.initialize();
  try {
    const report = (line: string) => console.log(line);
    const files = await runArchive(dataSource, { directory, days, auditKeptDays }, report);
    if (files.length === 0)
      report(
        'Nothing to archive yet: activities have to be sealed and closed for ARCHIVE_AFTER_DAYS, and audit entries AUDIT_KEPT_DAYS old.',
      );
  } finally {
    await dataSource.destroy();
  }
}

archive().catch((error: unknown) => {
  console.error(`Archiving failed. ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
});
