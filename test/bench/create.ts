import { writeFileSync } from 'node:fs';
import { Client } from 'pg';
import { ApiClient } from '../../libs/client';
import { openActivity, operatorOf, tokenOf } from './api';
import { atMost, type Bench, type BenchResult, spreadOf, type Table, tableOf } from './bench';
import { clocked, type Figures, median, memoryOf, number, type Sample } from './measure';
import { type Engines, startProduct } from './product';
import type { Stage } from './stage';

const PACKETS = 1_000_000;
const MIB = 1024 * 1024;

export const create: Bench = {
  name: 'create',
  question: 'How long does a large rain take from its request to its opening, and what does it cost the API?',
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
  const variants = sizes.map((packets) => ({
    name: nameOf(packets),
    run: () => createOne(stage, engines, packets),
  }));
  return resultOf(stage, await stage.interleave(variants, rounds), sizes);
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
    const { result: id, cpu, seconds } = await clocked([api.pid], () => openActivity(operator, packets));
    const grown = memoryOf(api.pid).most - before.now;
    await assertOpen(api.url, operator, watcher, id, packets);
    return { seconds, apiCpuSeconds: cpu, apiGrowthMib: grown / MIB };
  } finally {
    await watcher.end();
    await api.stop();
  }
}

const forgetMost = (pid: number): void => writeFileSync(`/proc/${pid}/clear_refs`, '5');

async function assertOpen(
  url: string,
  operator: ApiClient,
  watcher: Client,
  id: string,
  packetCount: number,
): Promise<void> {
  const { phase } = await operator.readActivity(id);
  if (phase !== 'open') throw new Error(`Activity ${id} is ${phase} when its creation is answered.`);
  const user = new ApiClient(url, tokenOf('user'));
  const { code } = await user.grabPacket(id);
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
  const targets = [
    atMost('1,000,000 packets: split, stored, loaded', 6, ' s', median(largest.seconds!)),
    atMost('memory growth of the API', 64, ' MiB', median(largest.apiGrowthMib!)),
  ];
  return { tables: [table(figures)], targets: stage.size === 'full' ? targets : [] };
}

const table = (figures: Figures): Table =>
  tableOf(
    {
      title: 'From the request until the rain is open',
      first: '',
      remark:
        'One request to the compiled API, answered when the rain is open. ' +
        'Growth is the peak of a fresh process above what it held before.',
    },
    figures,
    {
      seconds: spreadOf('seconds'),
      'API CPU s': 'apiCpuSeconds',
      'API growth MiB': spreadOf('apiGrowthMib'),
    },
  );
