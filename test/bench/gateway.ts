import { execFileSync } from 'node:child_process';
import {
  claimsConfirmed,
  type Installation,
  install,
  NO_RATE_LIMITS,
  openActivity,
  operatorOf,
  redisIsTrusted,
  tokenOf,
  tokensOf,
} from './api';
import { atMost, type Bench, type BenchResult, tableOf } from './bench';
import { GatewayLoad, grabFrame } from './gateway-load';
import { askAll, type Asker, closedLoop, connections, expectOutcomes, latenciesOf } from './load';
import { clocked, type Figures, medianRatio, memoryOf, number, percentile } from './measure';
import type { Sample, Variant } from './measure';
import type { Server } from './product';
import { grabs, SOLD_OUT, WON } from './rains';
import type { Stage } from './stage';
import { until } from './until';

const CONNECTIONS = 20_000;
/** Open files of the API besides its connections, and of the load generator besides its own. */
const OTHER_FILES = 200;
const OPENED_AT_ONCE = 100;
const ADDRESSES = 20;
const IDLE_MS = 40_000;
const SETTLES_MS = 5_000;
const WITHIN_MS = 120_000;
const UNDER_WAY = 64;
const KIB = 1024;

const UNBOUNDED = {
  ...NO_RATE_LIMITS,
  GATEWAY_CONNECTIONS_MAX: '1000000',
  GATEWAY_CONNECTIONS_PER_ADDRESS_MAX: '1000000',
};

export const gateway: Bench = {
  name: 'gateway',
  question: 'What does a waiting WebSocket cost, and a tap over it compared with one over HTTP?',
  run: measureGateway,
};

async function measureGateway(stage: Stage): Promise<BenchResult> {
  const installation = await install(stage);
  const idle = await measureIdle(stage, await installation.api(UNBOUNDED));
  const taps = await measureTaps(stage, installation);
  return report(idle, taps);
}

interface Idle {
  readonly count: number;
  readonly perConnection: number;
}

/** Opens as many others first, which leaves out memory that Node takes only once. */
async function measureIdle(stage: Stage, api: Server): Promise<Idle> {
  const count = stage.pick(Math.min(CONNECTIONS, openFilesMax() - OTHER_FILES), 2_000, 200);
  const tokens = tokensOf('idle', count);
  const first = await openAll(api, tokens);
  first.forEach((client) => client.close());
  await connectionsAre(api, 0);
  const before = await settledMemory(stage, api);
  const clients = await openAll(api, tokens);
  const began = performance.now();
  const idleMs = stage.pick(IDLE_MS, IDLE_MS / 2, IDLE_MS / 100);
  await until(() => performance.now() - began >= idleMs, 'the idle time to pass', WITHIN_MS);
  const perConnection = ((await settledMemory(stage, api)) - before) / count;
  await connectionsAre(api, count);
  clients.forEach((client) => client.close());
  await api.stop();
  return { count, perConnection };
}

async function settledMemory(stage: Stage, api: Server): Promise<number> {
  const lookedForMs = stage.pick(SETTLES_MS, SETTLES_MS, SETTLES_MS / 20);
  let least = Infinity;
  const began = performance.now();
  const isOver = () => {
    least = Math.min(least, memoryOf(api.pid).now);
    return performance.now() - began > lookedForMs;
  };
  await until(isOver, 'the memory to settle', WITHIN_MS);
  return least;
}

async function openAll(api: Server, tokens: readonly string[]): Promise<GatewayLoad[]> {
  const clients: GatewayLoad[] = [];
  for (let from = 0; from < tokens.length; from += OPENED_AT_ONCE) {
    const some = tokens.slice(from, from + OPENED_AT_ONCE);
    const open = (token: string, i: number) => GatewayLoad.open(api.url, token, addressOf(from + i));
    clients.push(...(await Promise.all(some.map(open))));
  }
  return clients;
}

const addressOf = (i: number): string => `127.0.2.${1 + (i % ADDRESSES)}`;

function connectionsAre(api: Server, count: number): Promise<void> {
  const isCount = async () =>
    new RegExp(`^hongbao_gateway_connections ${count}$`, 'm').test(
      await (await fetch(`${api.adminUrl}/metrics`)).text(),
    );
  return until(isCount, `${count} connections`, WITHIN_MS);
}

const openFilesMax = (): number => Number(execFileSync('sh', ['-c', 'ulimit -n'], { encoding: 'utf8' }));

type Way = 'fast lane' | 'gateway';
type Situation = 'all win' | 'sold out';

/** The same number of users tap over each transport, one transport at a time. */
async function measureTaps(stage: Stage, installation: Installation): Promise<Figures> {
  const api = await installation.api(UNBOUNDED);
  const worker = await installation.worker();
  await redisIsTrusted(api);
  await worker.stop();
  const rig: Rig = { installation, api, tokens: tokensOf('u', stage.pick(4_000, 2_000, 200)) };
  const drained = await openActivity(operatorOf(api), 1);
  await askAll(api.port, grabs(drained, [tokenOf('drainer')]), { outcome: WON, count: 1 });
  const variants = (['all win', 'sold out'] as const).flatMap((situation) =>
    (['fast lane', 'gateway'] as const).map((way): Variant => ({
      name: `${situation}, ${way}`,
      run: () => tap(rig, way, situation, drained),
    })),
  );
  return stage.interleave(variants, stage.pick(3, 1, 0));
}

interface Rig {
  readonly installation: Installation;
  readonly api: Server;
  readonly tokens: readonly string[];
}

async function tap(
  { installation, api, tokens }: Rig,
  way: Way,
  situation: Situation,
  drained: string,
): Promise<Sample> {
  const isWon = situation === 'all win';
  const activityId = isWon ? await openActivity(operatorOf(api), tokens.length) : drained;
  const { ask, close } = await (way === 'gateway' ? byGateway : byFastLane)(api, tokens, activityId);
  const { result, cpu } = await clocked([api.pid], ask);
  close();
  expectOutcomes(result.heard, { [isWon ? WON : SOLD_OUT]: tokens.length });
  if (isWon) await claimsConfirmed(installation, activityId, tokens.length);
  return {
    perSecond: tokens.length / result.seconds,
    apiMicros: (cpu / tokens.length) * 1e6,
    p99Ms: percentile(latenciesOf(result.heard), 0.99),
  };
}

async function byFastLane(api: Server, tokens: readonly string[], activityId: string) {
  const clients = await connections(UNDER_WAY, [api.port]);
  const requests = grabs(activityId, tokens);
  return {
    ask: () => closedLoop(clients, requests),
    close: () => clients.forEach((client) => client.close()),
  };
}

/** Each user has a connection. As many of them tap at a time as the other way has connections. */
async function byGateway(api: Server, tokens: readonly string[], activityId: string) {
  const clients = await openAll(api, tokens);
  const frame = grabFrame(activityId);
  let next = 0;
  const hand: Asker = { isOpen: true, ask: (bytes) => clients[next++]!.ask(bytes), close: () => undefined };
  const hands = Array<Asker>(UNDER_WAY).fill(hand);
  return {
    ask: () => closedLoop(hands, Array<Buffer>(tokens.length).fill(frame)),
    close: () => clients.forEach((client) => client.close()),
  };
}

function report(idle: Idle, taps: Figures): BenchResult {
  const ratio = (situation: Situation) =>
    medianRatio(taps[`${situation}, gateway`]!.apiMicros!, taps[`${situation}, fast lane`]!.apiMicros!);
  return {
    tables: [
      {
        title: `${number(idle.count)} WebSockets that wait, at one API process`,
        heading: ['a connection KiB'],
        rows: [[number(idle.perConnection / KIB)]],
        remark: 'Resident memory of the API, beyond what it had after as many connections had come and gone.',
      },
      tableOf(
        {
          title: `Taps, ${UNDER_WAY} under way, one API process, no worker`,
          first: 'way',
          remark: `A tap over the gateway costs ${number(ratio('all win'))} times one by the fast lane where all win, and ${number(ratio('sold out'))} times where nothing is left.`,
        },
        taps,
        { 'taps/s': 'perSecond', 'µs a tap': 'apiMicros', 'p99 ms': 'p99Ms' },
      ),
    ],
    targets: [
      atMost(
        `memory of a WebSocket that waits, ${number(idle.count)} of them`,
        8,
        ' KiB',
        idle.perConnection / KIB,
      ),
    ],
  };
}
