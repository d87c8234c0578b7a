import { spawn } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { Chance } from '../faults/chance';
import { DIST } from '../faults/copy';
import { AREAS, sourcesOf, specsNear, WIDER } from './areas';
import { describe, type Mutation, mutationsOf, plantedIn } from './mutations';
import { TypeCheck } from './type-check';

const ROOT = dirname(DIST);
const LOCAL_DIR = join(ROOT, '.local');
const NOT_COPIED = ['.git', '.local', 'coverage', 'node_modules'];
const COUNT = '40';

/** A limit against hanging. */
const SPECS_WITHIN_MS = 300_000;
const TEST_WITHIN_MS = 60_000;
const DRAWS_A_MUTANT = 20;

interface Mutant {
  readonly mutation: Mutation;
  readonly specs: readonly string[];
}

type Fate = 'survived' | 'killed' | 'timed out';

/** The process group that runs specs at this moment. */
let running: number | undefined;

async function main(): Promise<boolean> {
  const { values } = parseArgs({
    options: {
      count: { type: 'string', default: COUNT },
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
      only: { type: 'string', default: '' },
    },
  });
  const count = Number(values.count);
  if (!Number.isSafeInteger(count) || count < 1 || !Number.isSafeInteger(Number(values.seed)))
    throw new Error('--count and --seed are whole numbers. Usage: npm run test:mutants -- --help');
  console.log(`seed ${values.seed}`);
  const { mutants, refused } = draw(new Chance(`mutants ${values.seed}`), count, values.only);
  const fates = await onCheckout((copy) => play(copy, mutants));
  report(mutants, fates, refused);
  return fates !== undefined;
}

/** Draws an area, a file and a fault, again where the fault does not compile. */
function draw(chance: Chance, count: number, only: string): { mutants: Mutant[]; refused: number } {
  const types = new TypeCheck(ROOT);
  const drawn = new Map<string, Mutant>();
  const areas = AREAS.filter((area) => sourcesOf(ROOT, area).some((file) => file.includes(only)));
  let refused = 0;
  for (let turn = 0; areas.length > 0 && drawn.size < count && turn < count * DRAWS_A_MUTANT; turn++) {
    const area = chance.pick(areas);
    const file = chance.pick(sourcesOf(ROOT, area).filter((path) => path.includes(only)));
    const text = readFileSync(join(ROOT, file), 'utf8');
    const possible = mutationsOf(file, text);
    if (possible.length === 0) continue;
    const mutation = chance.pick(possible);
    if (!types.accepts(file, plantedIn(text, mutation))) refused += 1;
    else drawn.set(describe(mutation), { mutation, specs: specsNear(ROOT, file, area) });
  }
  return { mutants: [...drawn.values()], refused };
}

/** Returns undefined if the specs fail without any fault. */
async function play(copy: string, mutants: readonly Mutant[]): Promise<Fate[] | undefined> {
  const specs = [...new Set([...WIDER, ...mutants.flatMap((mutant) => mutant.specs)])];
  const sound = await test(copy, specs, mutants.length * SPECS_WITHIN_MS);
  if (sound.fate !== 'survived') {
    console.log(`The specs fail without any fault: ${sound.by}`);
    return undefined;
  }
  const fates: Fate[] = [];
  for (const mutant of mutants) fates.push(await playOne(copy, mutant));
  return fates;
}

async function playOne(copy: string, { mutation, specs }: Mutant): Promise<Fate> {
  const path = join(copy, mutation.file);
  const text = readFileSync(path, 'utf8');
  writeFileSync(path, plantedIn(text, mutation));
  const near = await test(copy, specs, SPECS_WITHIN_MS);
  const { fate, by } = near.fate === 'survived' ? await test(copy, WIDER, SPECS_WITHIN_MS) : near;
  writeFileSync(path, text);
  console.log(`${fate.padEnd(9)}  ${describe(mutation)}${by && `  (${by})`}`);
  return fate;
}

/** Runs specs until one fails. `by` names what failed. */
async function test(
  copy: string,
  specs: readonly string[],
  withinMs: number,
): Promise<{ fate: Fate; by: string }> {
  const projects = ['--selectProjects', 'unit', 'engines', 'slow'];
  const options = [...projects, '--bail', `--testTimeout=${TEST_WITHIN_MS}`];
  const args = ['src/dev/launcher/run.mjs', 'all', ...specs, ...options];
  const child = spawn(process.execPath, args, {
    cwd: copy,
    env: { ...process.env, LOCAL_DIR, FORCE_COLOR: '0' },
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  running = child.pid;
  let [output, late] = ['', false];
  child.stderr.on('data', (bytes: Buffer) => (output += bytes.toString()));
  const timer = setTimeout(() => {
    late = true;
    stop();
  }, withinMs);
  const code = await new Promise<number | null>((resolve) => child.once('exit', resolve));
  clearTimeout(timer);
  stop();
  if (late) return { fate: 'timed out', by: '' };
  if (code === 0) return { fate: 'survived', by: '' };
  return { fate: 'killed', by: /^ {2}● (.+)$/m.exec(output)?.[1] ?? output.trim().split('\n').at(-1)! };
}

/** Ends the specs with all that they have started, which a fault may keep busy for ever. */
function stop(): void {
  if (running === undefined) return;
  try {
    process.kill(-running, 'SIGKILL');
  } catch {
    // All of them have ended.
  }
  running = undefined;
}

/** Lends a copy of this checkout, with its packages. */
async function onCheckout<T>(work: (copy: string) => Promise<T>): Promise<T> {
  mkdirSync(LOCAL_DIR, { recursive: true });
  const copy = mkdtempSync(join(LOCAL_DIR, 'mutants-'));
  const remove = () => rmSync(copy, { recursive: true, force: true });
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => {
      stop();
      remove();
      process.exit(1);
    });
  try {
    for (const name of readdirSync(ROOT).filter((entry) => !NOT_COPIED.includes(entry)))
      cpSync(join(ROOT, name), join(copy, name), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
    return await work(copy);
  } finally {
    remove();
  }
}

function report(mutants: readonly Mutant[], fates: readonly Fate[] = [], refused: number): void {
  const having = (fate: Fate) => mutants.filter((_, i) => fates[i] === fate);
  for (const { mutation } of having('survived')) console.log(`SURVIVED ${describe(mutation)}`);
  const counts = (['killed', 'survived', 'timed out'] as const).map(
    (fate) => `${fate} ${having(fate).length}`,
  );
  console.log(
    `planted ${fates.length}, ${counts.join(', ')}; drawn again, because they do not compile: ${refused}`,
  );
}

main().then(
  (sound) => process.exit(sound ? 0 : 1),
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : String(error));
    process.exit(1);
  },
);
