import {
  everythingSettled,
  type Installation,
  install,
  NO_RATE_LIMITS,
  operatorOf,
  redisIsTrusted,
} from './api';
import {
  atLeast,
  atMost,
  type Bench,
  type BenchResult,
  spreadOf,
  type Table,
  tableOf,
  type Target,
} from './bench';
import type { Chart } from './chart';
import { closedLoop, connections, type Heard, latenciesOf, openLoop, steadily } from './load';
import { clocked, type Figures, median, medianRatio, number, percentile } from './measure';
import type { Sample, Variant } from './measure';
import { noops, Rains, type Rain, type Situation } from './rains';
import type { Server } from './product';
import type { NoopKind } from './noop-server';
import { childrenOf, cpuSecondsOfAll } from './server-cpu';
import type { Stage } from './stage';

const CONNECTIONS_USUAL = 64;
const CONNECTIONS_SATURATED = 512;
const MODERATE_PER_SECOND = 500;

/**
 * Processor time in µs of a rival on the same stack, and of a bare `node:http` in that run.
 * They were measured once; only the ratios to that server mean anything here.
 */
const RIVAL = {
  winMicros: 742,
  soldOutMicros: 723,
  creditedMicros: { [CONNECTIONS_USUAL]: 2_935, [CONNECTIONS_SATURATED]: 2_793 },
  bareNodeMicros: 49,
};

type Ack = 'postgres' | 'redis';
const ACKS: readonly Ack[] = ['redis', 'postgres'];
const PROCESSES = 2;

interface Rig {
  readonly stage: Stage;
  readonly installation: Installation;
  readonly rains: Rains;
  readonly apis: Readonly<Record<Ack, Server>>;
  readonly several: Server;
  readonly noops: Readonly<Record<NoopKind, Server>>;
  readonly requests: number;
  readonly rounds: number;
  worker?: Server;
}

export const http: Bench = {
  name: 'http',
  question: 'What does a grab cost over HTTP, compared with a route that does nothing?',
  async run(stage) {
    const rig = await assemble(stage);
    await warmUp(rig);
    const measure = (variants: Variant[]) => stage.interleave(variants, rig.rounds);
    const cost = await measure(costs(rig));
    const rate = await measure(rates(rig));
    const latency = await measure(latencies(rig));
    rig.worker = await rig.installation.worker();
    await everythingSettled(rig.installation);
    const whole = await measure(wholes(rig));
    return report({ cost, rate, latency, whole });
  },
};

async function assemble(stage: Stage): Promise<Rig> {
  const installation = await install(stage);
  const apis = {
    redis: await installation.api({ ...NO_RATE_LIMITS, GRAB_ACK: 'redis' }),
    postgres: await installation.api({ ...NO_RATE_LIMITS, GRAB_ACK: 'postgres' }),
  };
  const several = await installation.api({ ...NO_RATE_LIMITS, API_PROCESSES: String(PROCESSES) });
  const noopServers = {
    node: await installation.noop('node'),
    nest: await installation.noop('nest'),
    product: await installation.noop('product'),
  };
  const worker = await installation.worker();
  for (const server of Object.values(apis)) await redisIsTrusted(server);
  await redisIsTrusted(several, PROCESSES);
  await worker.stop();
  const requests = stage.pick(16_000, 3_000, 1_000);
  const rains = await Rains.prepare(installation, operatorOf(apis.postgres), apis.postgres.port, requests);
  const rounds = stage.pick(5, 1, 0);
  return { stage, installation, rains, apis, several, noops: noopServers, requests, rounds };
}

/** Warms up all processes equally: a process with fewer earlier requests would look slower. */
async function warmUp({ stage, apis, several, noops: idle, rains }: Rig): Promise<void> {
  const count = stage.pick(20_000, 6_000, 500);
  const grab = await rains.make('sold out');
  const send = async (server: Server, { requests }: Rain) => {
    const clients = await connections(CONNECTIONS_USUAL, [server.port]);
    for (let sent = 0; sent < count; sent += requests.length) await closedLoop(clients, requests);
    for (const client of clients) client.close();
  };
  for (const server of Object.values(idle)) await send(server, noops(count));
  for (const server of [...Object.values(apis), several]) await send(server, grab);
}

function costs(rig: Rig): Variant[] {
  const grab = (situation: Situation): Variant => ({
    name: nameOf(situation),
    run: () => saturate(rig, rig.apis.postgres, situation, CONNECTIONS_USUAL),
  });
  const noop = (kind: NoopKind, path?: string): Variant => ({
    name: path ? TOGETHER : NOOP_NAMES[kind],
    run: () => saturate(rig, rig.noops[kind], noops(rig.requests, path), CONNECTIONS_USUAL),
  });
  return [
    ...Object.keys(rig.noops).map((kind) => noop(kind as NoopKind)),
    noop('product', '/noop-together'),
    grab('all win'),
    grab('all win, known tokens'),
    grab('sold out'),
    grab('sold out, new tokens'),
  ];
}

function rates(rig: Rig): Variant[] {
  const grab = (situation: Situation, ack: Ack = 'postgres'): Variant => ({
    name: nameOf(situation, ack),
    run: () => saturate(rig, rig.apis[ack], situation, CONNECTIONS_SATURATED),
  });
  const bySeveral = (situation: Situation): Variant => ({
    name: severalName(situation),
    run: () => saturate(rig, rig.several, situation, CONNECTIONS_SATURATED),
  });
  return [
    ...ACKS.flatMap((ack) => [grab('all win', ack), grab('1 % win', ack)]),
    bySeveral('all win'),
    grab('sold out'),
    bySeveral('sold out'),
  ];
}

/** A steady flow that leaves the machine spare capacity, so that latency contains no queueing. */
function latencies(rig: Rig): Variant[] {
  return ACKS.map((ack) => ({
    name: nameOf('all win', ack),
    run: async () => {
      const clients = await connections(CONNECTIONS_USUAL, [rig.apis[ack].port]);
      const rain = await rig.rains.make('all win', rig.stage.pick(3, 1, 0.2) * MODERATE_PER_SECOND);
      const { heard } = await openLoop(clients, rain.requests, steadily(MODERATE_PER_SECOND));
      for (const client of clients) client.close();
      await rig.rains.check(rain, heard);
      return percentilesOf(heard);
    },
  }));
}

/** One API, with a worker that settles at the same time, compared with a server that does nothing. */
function wholes(rig: Rig): Variant[] {
  const whole = (situation: Situation, count: number): Variant => ({
    name: wholeName(situation, count),
    run: async () => {
      const rain = await rig.rains.make(situation);
      const before = cpuOfAll(rig);
      const sample = await saturate(rig, rig.apis.postgres, rain, count);
      const began = performance.now();
      await everythingSettled(rig.installation);
      const settledAfterMs = performance.now() - began;
      return { ...sample, settledAfterMs, allMicros: ((cpuOfAll(rig) - before) / rig.requests) * 1e6 };
    },
  });
  const noop: Variant = {
    name: NOOP_NAMES.node,
    run: async () => {
      const sample = await saturate(rig, rig.noops.node, noops(rig.requests), CONNECTIONS_USUAL);
      return { ...sample, settledAfterMs: 0, allMicros: sample.apiMicros! };
    },
  };
  return [
    noop,
    ...WHOLE_CONNECTIONS.map((count) => whole('all win', count)),
    whole('sold out', CONNECTIONS_SATURATED),
  ];
}

function cpuOfAll({ apis, worker, installation }: Rig): number {
  return cpuSecondsOfAll([apis.postgres, worker!, installation.redis, installation.postgres]);
}

async function saturate(rig: Rig, server: Server, what: Situation | Rain, count: number): Promise<Sample> {
  const rain = typeof what === 'string' ? await rig.rains.make(what) : what;
  const clients = await connections(count, [server.port]);
  const work = () => measured(rig.rains, server, () => closedLoop(clients, rain.requests), rain);
  return work().finally(() => clients.forEach((client) => client.close()));
}

/** Counts processor time until the last winner is confirmed, even if it was answered earlier. */
async function measured(
  rains: Rains,
  { pid }: Server,
  send: () => ReturnType<typeof closedLoop>,
  rain: Rain,
): Promise<Sample> {
  const pids = [pid, ...childrenOf(pid)];
  const { result, cpu } = await clocked(pids, async () => {
    const load = await send();
    await rains.check(rain, load.heard);
    return load;
  });
  const { heard, seconds } = result;
  return {
    perSecond: heard.length / seconds,
    apiMicros: (cpu / heard.length) * 1e6,
    ...percentilesOf(heard),
  };
}

function percentilesOf(heard: readonly Heard[]): { p50Ms: number; p99Ms: number } {
  const latencies = latenciesOf(heard);
  return { p50Ms: percentile(latencies, 0.5), p99Ms: percentile(latencies, 0.99) };
}

const NOOP_NAMES: Record<NoopKind, string> = {
  node: 'no-op, bare node:http, replies of a turn together',
  nest: 'no-op, Nest on Fastify as they come',
  product: 'no-op, server set up as ours',
};

const TOGETHER = `${NOOP_NAMES.product}, replies of a turn together`;

const nameOf = (situation: Situation, ack: Ack = 'postgres'): string =>
  situation === 'all win' || situation === '1 % win' ? `${situation}, GRAB_ACK=${ack}` : situation;

const severalName = (situation: Situation): string => `${nameOf(situation)}, ${PROCESSES} processes`;

const WHOLE_CONNECTIONS = [CONNECTIONS_USUAL, CONNECTIONS_SATURATED] as const;

const wholeName = (situation: Situation, count: number): string =>
  `${nameOf(situation, 'postgres')}, ${count} connections`;

interface Measured {
  readonly cost: Figures;
  readonly rate: Figures;
  readonly latency: Figures;
  readonly whole: Figures;
}

function report(measured: Measured): BenchResult {
  return {
    tables: [costTable(measured.cost), ...restTables(measured)],
    charts: [chartOf(measured.cost)],
    targets: targetsOf(measured),
  };
}

function costTable(cost: Figures): Table {
  const noop = cost[NOOP_NAMES.product]!.apiMicros!;
  return tableOf(
    {
      title: `One API process, ${CONNECTIONS_USUAL} connections, no worker: processor time of the API`,
      first: 'route',
      remark: 'Confirming is part of the cost. The no-op has our limits, headers and hooks, but no guards.',
    },
    cost,
    {
      'µs a request': spreadOf('apiMicros'),
      'no-op ÷ it': (own) => number(medianRatio(noop, own.apiMicros!)),
      ...RATES,
    },
  );
}

const RATES = { 'requests/s': 'perSecond', 'p50 ms': 'p50Ms', 'p99 ms': 'p99Ms' };

function restTables({ rate, latency, whole }: Measured): Table[] {
  return [
    tableOf(
      {
        title: `${CONNECTIONS_SATURATED} connections, no worker: load generator, API, Redis and Postgres share the machine`,
        first: 'route',
      },
      rate,
      { ...RATES, 'requests/s': spreadOf('perSecond'), 'µs a request': 'apiMicros' },
    ),
    tableOf(
      {
        title: `A winner's latency at ${MODERATE_PER_SECOND} requests a second, one API process, no worker`,
        first: 'route',
      },
      latency,
      { 'p50 ms': spreadOf('p50Ms'), 'p99 ms': spreadOf('p99Ms') },
    ),
    tableOf({ title: 'One API and one worker that settles meanwhile', first: 'route' }, whole, {
      'requests/s': spreadOf('perSecond'),
      'p99 ms': 'p99Ms',
      'all credited after the last answer, ms': 'settledAfterMs',
      'µs of all processes a request': spreadOf('allMicros'),
    }),
  ];
}

const chartOf = (cost: Figures): Chart => ({
  file: 'http-cost',
  title: 'Processor time of the API per request',
  unit: 'µs',
  bars: Object.entries(cost).map(([name, own]) => ({
    name,
    value: median(own.apiMicros!),
    ours: !name.startsWith('no-op'),
  })),
});

function targetsOf({ cost, rate, latency, whole }: Measured): Target[] {
  const perSecond = (name: string) => rate[name]!.perSecond!;
  const severalOverOne = (situation: Situation) =>
    medianRatio(perSecond(severalName(situation)), perSecond(nameOf(situation)));
  const acks = (situation: Situation) =>
    medianRatio(perSecond(nameOf(situation, 'postgres')), perSecond(nameOf(situation, 'redis')));
  const p50 = (ack: Ack) => latency[nameOf('all win', ack)]!.p50Ms!;
  const extraMs = median(p50('postgres').map((value, round) => value - p50('redis')[round]!));
  const bare = cost[NOOP_NAMES.node]!.apiMicros!;
  const share = (of: string, situation: Situation) =>
    medianRatio(cost[of]!.apiMicros!, cost[nameOf(situation)]!.apiMicros!);
  const againstRival = (situation: Situation, micros: number) =>
    (micros / RIVAL.bareNodeMicros) * medianRatio(bare, cost[nameOf(situation)]!.apiMicros!);
  const creditedByRival = (count: (typeof WHOLE_CONNECTIONS)[number]) =>
    (RIVAL.creditedMicros[count] / RIVAL.bareNodeMicros) *
    medianRatio(whole[NOOP_NAMES.node]!.allMicros!, whole[wholeName('all win', count)]!.allMicros!);
  return [
    atLeast('no-op ÷ grab, replies of a turn together: sold out', 1, ' ×', share(TOGETHER, 'sold out')),
    atLeast('… all win, new tokens', 0.55, ' ×', share(TOGETHER, 'all win')),
    atLeast(
      'bare node:http ÷ sold out, replies of a turn together',
      0.5,
      ' ×',
      share(NOOP_NAMES.node, 'sold out'),
    ),
    atLeast(
      "a rival's API ÷ ours, as bare node:http: all win",
      3.3,
      ' ×',
      againstRival('all win', RIVAL.winMicros),
    ),
    atLeast('… sold out, known tokens', 12, ' ×', againstRival('sold out', RIVAL.soldOutMicros)),
    atLeast('… sold out, new tokens', 8, ' ×', againstRival('sold out, new tokens', RIVAL.soldOutMicros)),
    atLeast(
      '… all its processes, a winner who was paid, 64 connections',
      10,
      ' ×',
      creditedByRival(CONNECTIONS_USUAL),
    ),
    atLeast('… 512 connections', 15, ' ×', creditedByRival(CONNECTIONS_SATURATED)),
    atLeast('GRAB_ACK=postgres ÷ redis, all win, saturated, 1 API', 0.7, ' ×', acks('all win')),
    atLeast('GRAB_ACK=postgres ÷ redis, 1 % win, saturated, 1 API', 0.95, ' ×', acks('1 % win')),
    atLeast('two processes ÷ one, saturated: sold out', 1.6, ' ×', severalOverOne('sold out')),
    atLeast('… all win', 1.4, ' ×', severalOverOne('all win')),
    atMost("a winner's extra latency for being confirmed, p50, 500 requests/s", 6, ' ms', extraMs),
  ];
}
