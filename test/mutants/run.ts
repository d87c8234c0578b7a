import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { startPostgres } from '../../src/dev/engines';
import { asAppRole } from '../../src/dev/local/app-role';
import { DIST } from '../faults/copy';
import { exitAfter } from '../harness/exit-after';
import { type Area, AREAS, specFiles } from './areas';
import { EDITS } from './edits';
import { play } from './planted';
import { makeTemplate } from './postgres';
import { type Mutant, mutantsIn } from './report';
import { runNode } from './run-node';
import { strykerOptions } from './stryker-options';
import { SURVIVORS } from './survivors';

const ROOT = dirname(DIST);
const LOCAL_DIR = join(ROOT, '.local');
const WORK = join(LOCAL_DIR, 'mutants');
const STRYKER = join('node_modules', '@stryker-mutator', 'core', 'bin', 'stryker.js');
const HOUR_MS = 3_600_000;
const HOURS = '8';

const reportOf = ({ name }: Area): string => join(WORK, `${name.replaceAll('/', '-')}.json`);

/** Each night continues where the last one ended, with the areas that were tested longest ago. */
const agedAt = (area: Area): number => statSync(reportOf(area), { throwIfNoEntry: false })?.mtimeMs ?? 0;

/** Stryker notices a changed test, but not a changed row of its table. */
const specsChanged = (area: Area): boolean =>
  specFiles(ROOT, area.specs).some((file) => statSync(join(ROOT, file)).mtimeMs > agedAt(area));

async function main(): Promise<boolean> {
  const { values } = parseArgs({
    options: {
      hours: { type: 'string', default: HOURS },
      only: { type: 'string', multiple: true, default: [''] },
    },
  });
  const hours = Number(values.hours);
  if (!(hours > 0))
    throw new Error('--hours must be a number above zero. Usage: npm run test:mutants -- --help');
  const endsAtMs = performance.now() + hours * HOUR_MS;
  mkdirSync(WORK, { recursive: true });
  const isMeant = (name: string): boolean => values.only.some((part) => name.includes(part));
  const areas = AREAS.filter(({ name }) => isMeant(name)).sort((a, b) => agedAt(a) - agedAt(b));
  const edits = EDITS.filter(({ file }) => isMeant(file));
  const postgres = await startPostgres({ localDir: LOCAL_DIR, durable: false });
  Object.assign(process.env, { LOCAL_DIR, TEST_DATABASE_URL: postgres.url });
  try {
    await asAppRole(postgres.url);
    await makeTemplate(ROOT);
    const unseen = await play(ROOT, edits, endsAtMs);
    const missed: Mutant[] = [];
    for (const area of areas)
      if (performance.now() < endsAtMs) missed.push(...(await mutate(area, endsAtMs)));
    return unseen.length + missed.length === 0;
  } finally {
    await postgres.stop();
  }
}

/** Returns the survivors that are not listed. An area that is cut off starts again the next night. */
async function mutate(area: Area, endsAtMs: number): Promise<Mutant[]> {
  const report = reportOf(area);
  const options = join(WORK, 'options.json');
  writeFileSync(options, JSON.stringify(strykerOptions(ROOT, area, WORK, report, specsChanged(area))));
  const { code, output } = await runNode(ROOT, [STRYKER, 'run', options], {
    withinMs: endsAtMs - performance.now(),
  });
  rmSync(join(WORK, 'sandbox'), { recursive: true, force: true });
  const title = area.name.padEnd(20);
  if (code === null) {
    console.log(`${title} was cut off`);
    return [];
  }
  if (code !== 0) throw new Error(`Stryker failed in ${area.name}.\n${output}`);
  const mutants = mutantsIn(report);
  const missed = mutants.filter(({ isSeen }) => !isSeen);
  const unlisted = missed.filter(
    ({ file, change }) => !SURVIVORS.some((one) => one.file === file && one.change === change),
  );
  const reachable = mutants.length - missed.length + unlisted.length;
  const score = (100 * (reachable - unlisted.length)) / reachable;
  console.log(
    `${title} ${score.toFixed(1)} % of ${reachable} killed, and ${mutants.length - reachable} are listed`,
  );
  for (const { file, line, change } of unlisted) console.log(`  SURVIVED ${file}:${line}  ${change}`);
  return unlisted;
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(1));

exitAfter(main());
