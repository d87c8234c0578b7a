import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { posix } from 'node:path';

const BENCHES = 'test/bench';

/** How every bench starts its engines. */
const ENGINES = [
  `${BENCHES}/stage.ts`,
  'libs/local-engines/postgres.ts',
  'libs/local-engines/redis.ts',
  'libs/local-engines/shared-buffers.ts',
];
const GRAB = ['libs/redis-scripts', 'libs/batching', 'src/modules/grab', 'src/platform/postgres'];
const TAP = [...GRAB, 'src/modules/dispenser', 'src/platform/http', 'src/platform/redis'];
const SETTLE = ['src/modules/wallet', 'src/platform/queue', 'src/platform/postgres', 'migrations'];

/** What each bench exercises of the product, and which programs and scripts of its own it starts without importing them. */
const EXERCISES = {
  lua: [`${BENCHES}/lua/published.lua`, 'libs/redis-scripts', 'src/modules/grab/draw-calls.ts'],
  parts: ['libs/redis-scripts', 'src/modules/grab'],
  designs: [`${BENCHES}/designs`, ...GRAB, 'migrations'],
  http: [`${BENCHES}/noop-server.ts`, ...TAP, ...SETTLE],
  processes: [...TAP, 'src/platform/processes'],
  settle: [...TAP, ...SETTLE],
  books: ['src/modules/grab', ...SETTLE],
  create: [
    'libs/redis-scripts',
    'libs/split',
    'src/modules/lifecycle',
    'src/platform/postgres',
    'migrations',
  ],
  growth: ['libs/redis-scripts', ...SETTLE],
  overload: [...TAP, ...SETTLE],
  storm: [...TAP, 'src/platform/processes'],
  events: [...TAP, 'src/modules/notification'],
  gateway: [...TAP, 'src/modules/gateway'],
  verify: ['src/modules/reconciliation', 'src/commands/verify.ts', 'migrations'],
  soak: [...TAP, ...SETTLE, 'src/modules/lifecycle'],
} as const satisfies Record<string, readonly string[]>;

export type BenchName = keyof typeof EXERCISES;
export const BENCH_NAMES = Object.keys(EXERCISES) as BenchName[];

/** The same as long as nothing on the code path of a bench changes, whatever becomes of commits. */
export function fingerprintOf(name: BenchName, root = '.'): string {
  const hash = createHash('sha256');
  for (const file of filesBehind([`${BENCHES}/${name}.ts`, ...ENGINES, ...EXERCISES[name]], root))
    hash
      .update(`${file}\0`)
      .update(readFileSync(posix.join(root, file)))
      .update('\0');
  return hash.digest('hex').slice(0, 12);
}

/** All files of these paths but tests, and what benches among them import of each other, types alone excepted. */
export function filesBehind(paths: readonly string[], root = '.'): string[] {
  const files = new Set<string>();
  const visit = (path: string): void => {
    if (files.has(path) || path.endsWith('.spec.ts')) return;
    const place = posix.join(root, path);
    if (statSync(place).isDirectory()) return readdirSync(place).forEach((name) => visit(`${path}/${name}`));
    files.add(path);
    if (path.startsWith(`${BENCHES}/`)) importsOf(path, readFileSync(place, 'utf8')).forEach(visit);
  };
  paths.forEach(visit);
  return [...files].sort();
}

const importsOf = (path: string, source: string): string[] =>
  Array.from(source.matchAll(/^(?:import|export) (?!type )[^;']*'(\.[^']*)';$/gm), ([, to]) =>
    posix.join(posix.dirname(path), `${to}.ts`),
  ).filter((file) => file.startsWith(`${BENCHES}/`));
