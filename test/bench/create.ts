import { writeFileSync } from 'node:fs';
import { Client } from 'pg';
import { newSeed, splitAmount } from '../../libs/split';
import { ApiClient } from '../../libs/client';
import { openActivity, operatorOf, tokenOf } from './api';
import type { Bench, BenchResult, Figures, Table, Target } from './bench';
import { clocked, interleave, median, memoryOf, number, type Sample, spread } from './measure';
import { type Engines, startProduct } from './product';
import type { Stage } from './stage';
import { until } from './until';

const PACKETS = 1_000_000;
const MIB = 1024 * 1024;
const COMMITTED_WITHIN_MS = 120_000;
const COMMIT_POLL_MS = 20;

export const create: Bench = {
  name: 'create',
  question:
    'How long does a large rain take from the request until it is open, and what does it cost the API?',
  run: measureCreation,
};

async function measureCreation(stage: Stage): Promise<BenchResult> {
  const postgres = await stage.postgres();
  const redis = await stage.redis();
  await (await stage.dataSource(postgres)).destroy();
  const engines = { databaseUrl: postgres.url, redisUrl: redis.url };
  await startProduct(stage, 'worker', engines);
  const sizes = stage.pick([10_000, 100_000, PACKETS], [1_000, 10_000, 100_000], [100, 10_000]);
  const rounds = stage.pick(3, 1, 0);
  const progress = stage.progress(sizes.length * (rounds + 1));
  const variants = sizes.map((packets) => ({
    name: nameOf(packets),
    run: () => createOne(stage, engines, packets),
  }));
  const figures = await interleave(variants, rounds, () => progress.advance());
  progress.end();
  return resultOf(stage, figures, sizes);
}

/** Starts a new API process each time: growth is measured from a process that has not grown yet. */
async function createOne(stage: Stage, engines: Engines, packets: number): Promise<Sample> {
  const api = await startProduct(stage, 'api', engines);
  const operator = operatorOf(api);
  const watcher = new Client({ connectionString: engines.databaseUrl });
  await watcher.connect();
  try {
    await openActivity(operator, 100);
    const before = memoryOf(api.pid);
    forgetMost(api.pid);
    const { result, cpu, seconds } = await clocked([api.pid], async () => {
      const began = performance.now();
      const [id, committed] = await Promise.all([openActivity(operator, packets), committedAt(watcher)]);
      return { id, committed: (committed - began) / 1000 };
    });
    const grown = memoryOf(api.pid).most - before.now;
    await assertOpen(api.url, operator, watcher, result.id, packets);
    const splitSeconds = secondsOfSplit(packets);
    return {
      seconds,
      splitSeconds,
      storeSeconds: Math.max(0, result.committed - splitSeconds),
      loadSeconds: seconds - result.committed,
      apiCpuSeconds: cpu,
      apiGrowthMib: grown / MIB,
    };
  } finally {
    await watcher.end();
    await api.stop();
  }
}

/** Resets the peak memory of the process to its present memory. */
const forgetMost = (pid: number): void => writeFileSync(`/proc/${pid}/clear_refs`, '5');

/** The time at which others can see the next activity: it is split, stored and funded. */
async function committedAt(watcher: Client): Promise<number> {
  const count = async () => {
    const { rows } = await watcher.query<{ count: string }>('select count(*) from activity');
    return Number(rows[0]!.count);
  };
  const before = await count();
  const isThere = async () => (await count()) > before;
  await until(isThere, 'the activity to be committed', COMMITTED_WITHIN_MS, COMMIT_POLL_MS);
  return performance.now();
}

/** Seconds of the split alone, in this process. */
function secondsOfSplit(packetCount: number): number {
  const began = performance.now();
  const totalMinor = BigInt(packetCount) * 100n;
  splitAmount({ totalMinor, packetCount, plan: { kind: 'random' }, seed: newSeed() });
  return (performance.now() - began) / 1000;
}

/** @throws Error with one line unless every packet is stored and a user can grab one now */
async function assertOpen(
  url: string,
  operator: ApiClient,
  watcher: Client,
  id: string,
  packetCount: number,
): Promise<void> {
  const { phase } = await operator.get('/v1/activities/{id}', { path: { id } });
  if (phase !== 'open') throw new Error(`Activity ${id} is ${phase} when its creation is answered.`);
  const user = new ApiClient(url, tokenOf('user'));
  const { code } = await user.post('/v1/activities/{id}/grabs', { path: { id } });
  if (code !== '0') throw new Error(`The first grab of activity ${id} was answered ${code}.`);
  const { rows } = await watcher.query<{ count: number; sum: number }>(
    `select count(*)::float8 as count, sum(amount_minor)::float8 as sum from packet where activity_id = $1`,
    [id],
  );
  const { count, sum } = rows[0]!;
  if (count !== packetCount || sum !== packetCount * 100)
    throw new Error(`Activity ${id} has ${count} packets with ${sum} in all.`);
}

const nameOf = (packets: number): string => `${number(packets)} packets`;

function resultOf(stage: Stage, figures: Figures, sizes: readonly number[]): BenchResult {
  const largest = figures[nameOf(sizes.at(-1)!)]!;
  const targets: Target[] = [
    {
      name: '1,000,000 packets: split, stored, loaded',
      target: { atMost: 6 },
      unit: ' s',
      value: median(largest.seconds!),
    },
    {
      name: 'memory growth of the API',
      target: { atMost: 64 },
      unit: ' MiB',
      value: median(largest.apiGrowthMib!),
    },
  ];
  return {
    tables: [tableOf(figures, sizes)],
    targets: stage.size === 'full' ? targets : [],
    figures,
  };
}

function tableOf(figures: Figures, sizes: readonly number[]): Table {
  return {
    title: 'From the request until the rain is open',
    heading: ['', 'seconds', 'split', 'stored', 'loaded', 'API CPU s', 'API growth MiB'],
    rows: sizes.map((packets) => {
      const own = figures[nameOf(packets)]!;
      const parts = [own.splitSeconds!, own.storeSeconds!, own.loadSeconds!, own.apiCpuSeconds!];
      return [
        nameOf(packets),
        spread(own.seconds!),
        ...parts.map((values) => number(median(values))),
        spread(own.apiGrowthMib!),
      ];
    }),
    remark:
      'One request to the compiled API, answered when the rain is open. The split is measured alone, in this process; ' +
      'stored is the time of the rest of the transaction, funds included. Growth is the peak of a fresh process above what it held before.',
  };
}
