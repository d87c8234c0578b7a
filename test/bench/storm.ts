import { setTimeout as pause } from 'node:timers/promises';
import { HaProxy } from '../harness/haproxy';
import { install, NO_RATE_LIMITS, operatorOf, redisIsTrusted } from './api';
import { atMost, type Bench, type BenchResult, spreadOf, tableOf, type Target } from './bench';
import { connections, endlessLoop, latenciesOf, storm as allAtOnce } from './load';
import { type Figures, median, number, percentile, type Sample, type Variant } from './measure';
import type { Server } from './product';
import { Rains, SOLD_OUT } from './rains';
import type { Stage } from './stage';

const BUSY = 256;
const NEW = 1_000;
const PROCESSES = 2;
/** Time that the busy clients need to fill every turn of the server. */
const LEAD_MS = 500;
/** The longest useful wait: after that, users tap again. */
const WAIT_MAX_MS = 1_000;

/** An address that clients connect to. */
interface Door {
  readonly name: string;
  readonly port: number;
}

interface Rig {
  readonly rains: Rains;
  readonly doors: readonly Door[];
}

export const storm: Bench = {
  name: 'storm',
  question: `How long do ${number(NEW)} clients that come at once wait, next to ${BUSY} busy connections?`,
  async run(stage) {
    const { rains, doors } = await assemble(stage);
    const coming = stage.pick(NEW, NEW, NEW / 10);
    const variants = doors.map((door) => variant(rains, door, coming));
    return report(doors, await stage.interleave(variants, stage.pick(9, 3, 0)));
  },
};

async function assemble(stage: Stage): Promise<Rig> {
  const installation = await install(stage);
  const worker = await installation.worker();
  const one = await installation.api(NO_RATE_LIMITS);
  const several = await installation.api({ ...NO_RATE_LIMITS, API_PROCESSES: String(PROCESSES) });
  await redisIsTrusted(one);
  await redisIsTrusted(several, PROCESSES);
  await worker.stop();
  const rains = await Rains.prepare(installation, operatorOf(one), one.port, NEW);
  const doors = [
    { name: 'one process', port: one.port },
    { name: `${PROCESSES} processes`, port: several.port },
  ];
  return { rains, doors: [...doors, ...(await proxyBefore(stage, one))] };
}

/** Starts HAProxy as docs/deployment.md advises; none if it is not installed. */
async function proxyBefore(stage: Stage, { url }: Server): Promise<Door[]> {
  const proxy = await HaProxy.start([url, url]);
  if (!proxy) return [];
  stage.atEnd(() => proxy.stop());
  return [{ name: 'one process behind HAProxy', port: Number(new URL(proxy.url).port) }];
}

function variant(rains: Rains, door: Door, coming: number): Variant {
  return { name: door.name, run: () => measure(rains, door, coming) };
}

/** All clients ask for a rain that is sold out: a tap that begins and ends in Redis. */
async function measure(rains: Rains, { port }: Door, coming: number): Promise<Sample> {
  const { requests } = await rains.make('sold out', coming);
  const clients = await connections(BUSY, [port]);
  const loop = endlessLoop(clients, requests);
  await pause(LEAD_MS);
  const heard = await allAtOnce(port, requests);
  const before = await loop.end();
  for (const client of clients) client.close();

  const latencies = latenciesOf(heard);
  const lost = [...heard, ...before.heard].filter(({ outcome }) => outcome !== SOLD_OUT);
  return {
    p50Ms: percentile(latencies, 0.5),
    p99Ms: percentile(latencies, 0.99),
    mostMs: Math.max(...latencies),
    lost: lost.length,
  };
}

function report(doors: readonly Door[], figures: Figures): BenchResult {
  return {
    tables: [
      tableOf(
        {
          title: `${number(NEW)} clients come at once, next to ${BUSY} busy ones; each connects, taps once and is answered "sold out"`,
          first: 'where',
          remark:
            'Times count from the moment at which all came. Lost: refused, cut off or answered anything else, in all rounds.',
        },
        figures,
        {
          'p50 ms': 'p50Ms',
          'p99 ms': spreadOf('p99Ms'),
          'last, ms': (own) => number(Math.max(...own.mostMs!)),
          lost: (own) => number(total(own.lost!)),
        },
      ),
    ],
    targets: doors.flatMap((door) => targetsOf(door, figures)),
  };
}

const total = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

function targetsOf(door: Door, figures: Figures): Target[] {
  const own = figures[door.name]!;
  return [
    atMost(
      `storm, ${door.name}: p99 of ${number(NEW)} new beside ${BUSY} busy`,
      WAIT_MAX_MS,
      ' ms',
      median(own.p99Ms!),
    ),
    atMost('… lost', 0, '', total(own.lost!)),
  ];
}
