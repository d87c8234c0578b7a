import { chromiumProgram, type Engine, redisBinary, startPostgres } from '../../src/dev/engines';
import { preparePostgres, runNode } from './prepared-postgres';

declare global {
  var testPostgres: Engine | undefined;
}

export interface Run {
  readonly testPathPatterns: { readonly patterns: readonly string[] };
}

/**
 * Builds the programs, starts one Postgres for the whole run, and fetches all binaries before two
 * workers need them at once. Only the first call has an effect.
 */
export default async function globalSetup({ testPathPatterns: { patterns } }: Run): Promise<void> {
  if (globalThis.testPostgres) return;
  const localDir = process.env.LOCAL_DIR || '.local';
  const programs = build();
  await redisBinary(localDir, report);
  const browser = mayNeedBrowser(patterns) ? findBrowser(localDir) : undefined;
  globalThis.testPostgres = await startPostgres({ localDir, durable: false });
  await preparePostgres(globalThis.testPostgres, programs);
  await browser;
}

const build = (): Promise<void> =>
  runNode(['src/dev/launcher/run.mjs', 'built'], 'The programs could not be built.');

const report = (line: string): boolean => process.stderr.write(`${line}\n`);

const mayNeedBrowser = (patterns: readonly string[]): boolean =>
  patterns.length === 0 || patterns.some((pattern) => pattern.includes('web') || !pattern.includes('/'));

async function findBrowser(localDir: string): Promise<void> {
  try {
    process.env.TEST_CHROMIUM = JSON.stringify(await chromiumProgram(localDir, report));
  } catch {
    report(
      'Skipped: tests of pages need chromium, which was neither found nor could be fetched (apt-get install chromium).',
    );
  }
}
