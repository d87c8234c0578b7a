import { spawn, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { chromiumProgram, type Engine, redisBinary, startPostgres } from '../../src/dev/engines';
import { asAppRole } from '../../src/dev/local/app-role';
import { databaseUrl, onServer, TEMPLATE_DATABASE } from './engines';

declare global {
  var testPostgres: Engine | undefined;
}

export interface Run {
  readonly testPathPatterns: { readonly patterns: readonly string[] };
}

/**
 * Builds the programs, starts one Postgres for the whole run, and fetches all binaries, before two
 * workers want them at once. Only the first call has an effect.
 */
export default async function globalSetup({ testPathPatterns: { patterns } }: Run): Promise<void> {
  if (globalThis.testPostgres) return;
  const localDir = process.env.LOCAL_DIR || '.local';
  const programs = build();
  await redisBinary(localDir, report);
  const browser = mayNeedBrowser(patterns) ? findBrowser(localDir) : undefined;
  globalThis.testPostgres = await startPostgres({ localDir, durable: false });
  process.env.TEST_DATABASE_URL = globalThis.testPostgres.url;
  await asAppRole(globalThis.testPostgres.url);
  await onServer(`create database ${TEMPLATE_DATABASE}`);
  await programs;
  await migrate(databaseUrl(TEMPLATE_DATABASE));
  await browser;
}

const build = (): Promise<void> =>
  runNode(['src/dev/launcher/run.mjs', 'built'], 'The programs could not be built.');

/** The built program is used because Jest would load all modules of the product one by one. */
const migrate = (url: string): Promise<void> =>
  runNode(['dist/commands/migrate.js'], 'The template database could not be migrated.', {
    NODE_ENV: 'test',
    MIGRATION_DATABASE_URL: url,
  });

async function runNode(args: string[], fault: string, env: NodeJS.ProcessEnv = {}): Promise<void> {
  const options: SpawnOptions = { stdio: ['ignore', 'ignore', 'inherit'], env: { ...process.env, ...env } };
  const [code] = (await once(spawn(process.execPath, args, options), 'exit')) as [number | null];
  if (code !== 0) throw new Error(fault);
}

const report = (line: string): boolean => process.stderr.write(`${line}\n`);

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
