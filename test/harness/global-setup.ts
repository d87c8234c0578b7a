import { type Engine, redisBinary, startPostgres } from '../../libs/local-engines';
import { asAppRole } from '../../src/commands/local/app-role';
import { runMigrations } from '../../src/platform/postgres/migrate';
import { schema } from '../../src/schema';
import { databaseUrl, onServer, TEMPLATE_DATABASE } from './engines';

declare global {
  var testPostgres: Engine | undefined;
}

/** One throw-away Postgres for the whole run, and a Redis binary that is ready before two test workers want it at once. */
export default async function globalSetup(): Promise<void> {
  const localDir = process.env.LOCAL_DIR || '.local';
  const report = (line: string) => process.stderr.write(`${line}\n`);
  await redisBinary(localDir, report);
  globalThis.testPostgres = await startPostgres({ localDir, durable: false });
  process.env.TEST_DATABASE_URL = globalThis.testPostgres.url;
  await asAppRole(globalThis.testPostgres.url);
  await onServer(`create database ${TEMPLATE_DATABASE}`);
  await runMigrations(databaseUrl(TEMPLATE_DATABASE), schema);
}
