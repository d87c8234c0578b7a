import { chromiumProgram, type Engine, redisBinary, startPostgres } from '../../src/dev/engines';
import { asAppRole } from '../../src/dev/local/app-role';
import { runMigrations } from '../../src/platform/postgres/migrate';
import { schema } from '../../src/schema';
import { databaseUrl, onServer, TEMPLATE_DATABASE } from './engines';

declare global {
  var testPostgres: Engine | undefined;
}

/** What of Jest's settings is looked at. */
export interface Run {
  readonly testPathPatterns: { readonly patterns: readonly string[] };
}

/**
 * One throw-away Postgres for the whole run, and binaries that are ready before two test workers want them at once: of Redis,
 * and of a browser where a test may need one. Every project of Jest asks for them; the first one gets them.
 */
export default async function globalSetup({ testPathPatterns: { patterns } }: Run): Promise<void> {
  if (globalThis.testPostgres) return;
  const localDir = process.env.LOCAL_DIR || '.local';
  await redisBinary(localDir, report);
  const browser = mayNeedBrowser(patterns) ? findBrowser(localDir) : undefined;
  globalThis.testPostgres = await startPostgres({ localDir, durable: false });
  process.env.TEST_DATABASE_URL = globalThis.testPostgres.url;
  await asAppRole(globalThis.testPostgres.url);
  await onServer(`create database ${TEMPLATE_DATABASE}`);
  await runMigrations(databaseUrl(TEMPLATE_DATABASE), schema);
  await browser;
}

const report = (line: string): boolean => process.stderr.write(`${line}\n`);

/** All tests, or some that may be those of pages. */
const mayNeedBrowser = (patterns: readonly string[]): boolean =>
  patterns.length === 0 || patterns.some((pattern) => pattern.includes('web') || !pattern.includes('/'));

async function findBrowser(localDir: string): Promise<void> {
  try {
    process.env.TEST_CHROMIUM = JSON.stringify(await chromiumProgram(localDir, report));
  } catch {
    report(
      'Skipped: tests of pages need chromium, which is neither here nor to be had (apt-get install chromium).',
    );
  }
}
