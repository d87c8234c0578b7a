import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/** Code in which faults are planted, and the specs that should notice. */
interface Area {
  readonly sources: RegExp;
  readonly specs: readonly string[];
}

const area = (sources: RegExp, ...specs: string[]): Area => ({ sources, specs });

export const AREAS: readonly Area[] = [
  // Money
  area(/^libs\/(money|split)\//, 'libs/money/', 'libs/split/'),
  area(
    /^src\/modules\/wallet\//,
    ...settlement('credit', 'dead-letters', 'ledger', 'passing-errors', 'poison'),
  ),
  area(/^src\/modules\/lifecycle\/add\//, ...settlement('topping-up', 'ending')),
  area(/^src\/modules\/lifecycle\/close\//, ...settlement('closing-race', 'ending', 'late-taps', 'parts')),
  area(/^src\/modules\/lifecycle\/create\//, ...settlement('partitions'), 'test/rain/api.spec'),
  area(/^src\/modules\/lifecycle\/void\//, ...settlement('void-claims')),
  area(
    /^src\/modules\/payout\//,
    'src/modules/payout/',
    ...settlement('sending', 'unsent'),
    'test/model/payouts',
  ),
  area(/^src\/modules\/reconciliation\//, 'test/reconciliation/(proof|seals|verification|redis-agreement)'),
  // Truth
  area(
    /^src\/modules\/grab\/(?!parts)/,
    ...settlement('confirm', 'journal-quarantine', 'locked-rows', 'late-taps'),
  ),
  area(/^src\/modules\/(grab\/parts|waitlist)\//, ...settlement('parts', 'waitlist')),
  area(
    /^src\/modules\/dispenser\//,
    ...settlement('what-redis-learns', 'postgres-history', 'reminding', 'clocks'),
  ),
  area(/^src\/modules\/recovery\//, ...settlement('mending', 'reminding', 'ended-in-redis', 'watches')),
  area(
    /^src\/modules\/activity\/(window-end|.*repository|stretches)/,
    ...settlement('clocks', 'partitions', 'parts', 'topping-up'),
  ),
  area(/^libs\/redis-scripts\//, 'libs/redis-scripts/', 'test/dispenser/', ...settlement('parts')),
  // Security
  area(
    /^src\/platform\/http\/(auth|websocket)\//,
    'test/edge/(access|token-keys)',
    'test/rain/(api|taps).spec',
  ),
  area(/^src\/platform\/http\/(rate-limit|edge|input)\//, 'test/edge/(rate-limit|input|problems|outages)'),
  area(/^src\/platform\/http\/idempotency\//, 'test/edge/idempotency'),
  area(/^src\/modules\/approval\//, 'test/rain/api.spec'),
  area(/^src\/modules\/gateway\//, 'test/gateway/', 'test/rain/taps.spec'),
  area(
    /^(src\/modules\/webhook|libs\/(public-address|standard-webhooks))\//,
    'libs/public-address/',
    'libs/standard-webhooks/',
    'test/webhook/',
  ),
  area(
    /^libs\/(roles|user-id)\//,
    'libs/(roles|user-id)/',
    'test/edge/(access|user-ids)',
    'test/rain/api.spec',
  ),
];

/** Whole rains over HTTP, for what the specs of an area did not notice. */
export const WIDER = ['test/rain/(api|rain)\\.spec'];

/** Files of one kind that decide nothing by themselves. */
const DULL = /(\.spec|\.module|\.dto|\.entity|\/index|\/schema)\.ts$/;

/** Specs that import a file come first; more of them would cost more than they see. */
const IMPORTERS_MAX = 3;

function settlement(...names: string[]): string[] {
  return names.map((name) => `test/settlement/${name}(\\.slow)?\\.spec`);
}

/** Returns the paths of the files below some directories of a checkout, in their order. */
export function filesOf(root: string, directories: readonly string[]): string[] {
  return directories.flatMap((directory) =>
    (readdirSync(join(root, directory), { recursive: true }) as string[])
      .map((name) => `${directory}/${name}`)
      .sort(),
  );
}

/** Returns the files of an area. */
export const sourcesOf = (root: string, { sources }: Area): string[] =>
  filesOf(root, ['libs', 'src']).filter(
    (file) => /\.(ts|sql|lua)$/.test(file) && sources.test(file) && !DULL.test(file),
  );

/** Returns the specs that are nearest to a file: those that import it, and those of its area. */
export function specsNear(root: string, file: string, { specs }: Area): string[] {
  const imported = `/${basename(file, '.ts')}'`;
  const importers = filesOf(root, ['libs', 'src', 'test']).filter(
    (path) =>
      path.endsWith('.spec.ts') &&
      !path.endsWith('.slow.spec.ts') &&
      readFileSync(join(root, path), 'utf8').includes(imported),
  );
  return [...importers.slice(0, IMPORTERS_MAX), ...specs];
}
