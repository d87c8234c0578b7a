import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { startNodeProgram } from '../../src/dev/local/node-program';
import type { Bench, BenchResult, Figures, Target } from './bench';
import { memoryOf, number, type Sample } from './measure';
import { JWT_SECRET } from './product';
import { createAccounts, writeHistory } from './settle-books';
import type { Stage } from './stage';

const PACKETS_EACH = 100_000;
const LOOK_MS = 10;
const MIB = 1024 * 1024;

const RUNS = {
  'first run, which seals': [],
  'next run': [],
  'with --all': ['--all'],
} as const;

export const verify: Bench = {
  name: 'verify',
  question: 'What does it cost to verify the books when the past is sealed?',
  run: measureVerification,
};

async function measureVerification(stage: Stage): Promise<BenchResult> {
  const postgres = await stage.postgres();
  const redis = await stage.redis();
  const db = await stage.dataSource(postgres);
  const claims = stage.pick(1_000_000, 200_000, 2_000);
  await createAccounts(db);
  const packetsEach = stage.pick(PACKETS_EACH, PACKETS_EACH, PACKETS_EACH / 100);
  await writeHistory(db, { activities: claims / packetsEach, packetsEach });
  await db.query('vacuum (analyze)');
  await db.query('checkpoint');

  const figures: Record<string, Record<string, number[]>> = {};
  for (const [name, args] of Object.entries(RUNS)) {
    const sample = await run(stage, { databaseUrl: postgres.url, redisUrl: redis.url }, args);
    figures[name] = Object.fromEntries(Object.entries(sample).map(([figure, value]) => [figure, [value]]));
  }
  return resultOf(figures, claims);
}

/** Runs the compiled command as an operator does. */
async function run(
  stage: Stage,
  { databaseUrl, redisUrl }: { databaseUrl: string; redisUrl: string },
  args: readonly string[],
): Promise<Sample> {
  const watcher = new Client({ connectionString: databaseUrl });
  await watcher.connect();
  const env = { ...process.env, DATABASE_URL: databaseUrl, REDIS_URL: redisUrl, JWT_SECRET };
  const began = performance.now();
  const program = await startNodeProgram(
    'verify',
    join('commands', 'verify.js'),
    env,
    stage.newDir('logs'),
    args,
  );
  let [memory, snapshotSeconds, isOver] = [0, 0, false];
  void program.ended.then(() => (isOver = true));
  while (!isOver) {
    memory = Math.max(memory, mostMemoryOf(program.pid));
    snapshotSeconds = Math.max(snapshotSeconds, await oldestSnapshot(watcher));
    await pause(LOOK_MS);
  }
  const seconds = (performance.now() - began) / 1000;
  await watcher.end();
  if (program.exitCode !== 0) throw new Error(program.output);
  return { seconds, memoryMib: memory / MIB, snapshotSeconds };
}

/** Returns 0 if the process has ended. */
function mostMemoryOf(pid: number): number {
  try {
    return memoryOf(pid).most || 0;
  } catch {
    return 0;
  }
}

/**
 * Age in seconds of the oldest transaction of another session, which keeps Postgres from cleaning
 * up.
 */
async function oldestSnapshot(watcher: Client): Promise<number> {
  const { rows } = await watcher.query<{ seconds: number | null }>(
    `select max(extract(epoch from clock_timestamp() - xact_start))::float8 as seconds
       from pg_stat_activity
      where datname = current_database() and backend_xmin is not null and pid <> pg_backend_pid()
        and backend_type = 'client backend'`,
  );
  return rows[0]?.seconds ?? 0;
}

function resultOf(figures: Figures, claims: number): BenchResult {
  const of = (run: string, figure: string) => figures[run]![figure]![0]!;
  const target: Target = {
    name: `next verification of ${number(claims)} settled claims`,
    target: { atMost: 5 },
    unit: ' s',
    value: of('next run', 'seconds'),
  };
  return {
    tables: [
      {
        title: `npm run verify on ${number(claims)} settled claims`,
        heading: ['run', 'seconds', 'memory, MiB', 'longest snapshot, s'],
        rows: Object.keys(RUNS).map((name) => [
          name,
          of(name, 'seconds').toFixed(1),
          of(name, 'memoryMib').toFixed(0),
          of(name, 'snapshotSeconds').toFixed(1),
        ]),
        remark: `Rains of ${number(PACKETS_EACH)} packets. Seconds of the whole command, its start included; memory is the peak of the process.`,
      },
    ],
    targets: [target],
    figures,
  };
}
