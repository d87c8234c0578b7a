import {
  checkBooks,
  everythingSettled,
  install,
  type Installation,
  NO_RATE_LIMITS,
  operatorOf,
  redisIsTrusted,
} from './api';
import type { Bench, BenchResult, Figures, Target } from './bench';
import { closedLoop, connections } from './load';
import { interleave, median, medianRatio, number, percentile, spread, type Variant } from './measure';
import type { Server } from './product';
import { Rains, type Situation } from './rains';
import type { Stage } from './stage';

const CONNECTIONS = 512;
const SETTLED_WITHIN_MS = 120_000;
const SITUATIONS: readonly Situation[] = ['sold out', 'all win'];
const SIZES = [1, 2];

/** One API for each number of processes. */
interface Rig {
  readonly stage: Stage;
  readonly installation: Installation;
  readonly rains: Rains;
  readonly apis: ReadonlyMap<number, Server>;
}

export const processes: Bench = {
  name: 'processes',
  question: 'What do two API processes behind one port gain over one?',
  async run(stage) {
    const rig = await assemble(stage);
    const variants = SITUATIONS.flatMap((situation) => SIZES.map((size) => variant(rig, situation, size)));
    const rounds = stage.pick(5, 1, 0);
    const progress = stage.progress(variants.length * (rounds + 1));
    const figures = await interleave(variants, rounds, () => progress.advance());
    progress.end();
    await rig.installation.worker();
    await everythingSettled(rig.installation, SETTLED_WITHIN_MS);
    await checkBooks(rig.installation);
    return report(figures);
  },
};

async function assemble(stage: Stage): Promise<Rig> {
  const installation = await install(stage);
  const worker = await installation.worker();
  const apis = new Map<number, Server>();
  for (const size of SIZES)
    apis.set(size, await installation.api({ ...NO_RATE_LIMITS, API_PROCESSES: String(size) }));
  for (const [size, api] of apis) await redisIsTrusted(api, size);
  await worker.stop();
  const first = apis.get(1)!;
  const users = stage.pick(16_000, 3_000, 1_000);
  const rains = await Rains.prepare(installation, operatorOf(first), first.port, users);
  return { stage, installation, rains, apis };
}

function variant({ rains, apis }: Rig, situation: Situation, size: number): Variant {
  return {
    name: nameOf(situation, size),
    run: async () => {
      const rain = await rains.make(situation);
      const clients = await connections(CONNECTIONS, [apis.get(size)!.port]);
      try {
        const { heard, seconds } = await closedLoop(clients, rain.requests);
        await rains.check(rain, heard);
        const latencies = heard.map(({ latencyMs }) => latencyMs);
        return { perSecond: heard.length / seconds, p99Ms: percentile(latencies, 0.99) };
      } finally {
        for (const client of clients) client.close();
      }
    },
  };
}

const nameOf = (situation: Situation, size: number): string => `${situation}, API_PROCESSES=${size}`;

function report(figures: Figures): BenchResult {
  const rows = Object.entries(figures).map(([name, own]) => [
    name,
    spread(own.perSecond!),
    number(median(own.p99Ms!)),
  ]);
  return {
    tables: [
      {
        title: `${CONNECTIONS} connections, no worker: load generator, API, Redis and Postgres share the machine`,
        heading: ['route', 'requests/s', 'p99 ms'],
        rows,
      },
    ],
    targets: [target(figures, 'sold out', 1.6), target(figures, 'all win', 1.4)],
    figures,
  };
}

const target = (figures: Figures, situation: Situation, atLeast: number): Target => {
  const perSecond = (size: number) => figures[nameOf(situation, size)]!.perSecond!;
  return {
    name: `${situation}: two processes ÷ one`,
    target: { atLeast },
    unit: ' ×',
    value: medianRatio(perSecond(2), perSecond(1)),
  };
};
