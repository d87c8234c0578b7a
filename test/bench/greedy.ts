import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import {
  checkBooks,
  everythingSettled,
  type Installation,
  install,
  openActivity,
  operatorOf,
  redisIsTrusted,
  tokenOf,
  tokensOf,
} from './api';
import { atMost, type Bench, type BenchResult, spreadOf, tableOf, type Target } from './bench';
import { burn } from './burner';
import { GatewayLoad, watchFrame } from './gateway-load';
import {
  type Asker,
  closedLoop,
  connections,
  Connection,
  crowd,
  expectOutcomes,
  latenciesOf,
  openLoop,
  post,
  type Reply,
  request,
  steadily,
} from './load';
import { type Figures, median, medianRatio, number, percentile, type Sample } from './measure';
import type { Server } from './product';
import { grabs, WON } from './rains';
import { cpuSecondsOfAll } from './server-cpu';
import { COLLECTOR, createAccounts, writeHistory } from './settle-books';
import type { Stage } from './stage';
import { until } from './until';

const ADDRESSES = 128;
const CONNECTIONS = 256;
const CONNECTIONS_FOR_CAPACITY = 64;
/** Share of the capacity that the rain needs. A quarter had the p99 of a full machine. */
const RAIN = 0.08;
const OPENS_WITHIN_MS = 30_000;

const AT_ONCE = 12;
const GATEWAY_CONNECTIONS = 5;
/** The limit of one user, and as many requests to probes, which have no limit, as a small program sends. */
const USER_PER_SECOND = 100;
const PROBES_PER_SECOND = 500;
/** The heaviest requests count as this many and run one at a time; a second request is refused. */
const HEAVY = 20;
const GREEDY_ADDRESS = '127.0.2.1';
const GREEDY = COLLECTOR;
const CALM = 'nobody';
const CALM_AGAIN = 'nobody, again';
/** The most by which a greedy user may slow the others, compared with calm and with a stranger. */
const RATIO_MAX = 1.2;

interface Greed {
  readonly name: string;
  readonly perSecond: number;
  readonly atOnce: number;
  readonly open: () => Promise<Asker>;
  readonly act: (client: Asker) => Promise<Reply>;
}

interface Rig {
  readonly installation: Installation;
  readonly api: Server;
  /** Seconds that the product and its engines have used so far. */
  readonly processors: () => number;
  readonly tokens: readonly string[];
  readonly perSecond: number;
}

export const greedy: Bench = {
  name: 'greedy',
  question: 'What does one greedy user within their limit take from the winners of a rain?',
  async run(stage) {
    const installation = await install(stage);
    await createAccounts(installation.dataSource);
    await writeHistory(installation.dataSource, {
      activities: stage.pick(100_000, 10_000, 300),
      packetsEach: 1,
    });
    const api = await installation.api();
    const worker = await installation.worker();
    await redisIsTrusted(api);
    const programs = [api, worker, installation.postgres, installation.redis];
    const load = await calibrated(stage, installation, api);
    const processors = () => cpuSecondsOfAll(programs);
    const rig = { installation, api, processors, ...load };
    const kinds = await kindsOf(api);
    const forMs = stage.pick(3_000, 1_000, 50);
    const idle = await costOf(rig, forMs);
    const variants = [{ name: CALM, run: () => measure(rig) }];
    for (const greed of kinds) {
      const { processors, perSecond } = await costOf(rig, forMs, greed);
      const cost = { processors: Math.max(0, processors - idle.processors), perSecond };
      variants.push({ name: greed.name, run: () => compare(rig, greed, cost) });
    }
    variants.push({ name: CALM_AGAIN, run: () => measure(rig) });
    const figures = await stage.interleave(variants, stage.pick(9, 1, 0));
    await checkBooks(installation);
    return report(rig, figures);
  },
};

async function calibrated(
  stage: Stage,
  installation: Installation,
  api: Server,
): Promise<Pick<Rig, 'perSecond' | 'tokens'>> {
  const trial = stage.pick(8_000, 4_000, 200);
  const seconds = stage.pick(2, 2, 0.3);
  const tokens = tokensOf('u', trial);
  const clients = await connections(CONNECTIONS_FOR_CAPACITY, [api.port]);
  let capacity = 0;
  for (let run = 0; run < 2; run++) {
    const requests = grabs(await openActivity(operatorOf(api), trial), tokens);
    const { heard, seconds: took } = await closedLoop(clients, requests);
    expectOutcomes(heard, { [WON]: trial });
    capacity = trial / took;
  }
  for (const client of clients) client.close();
  await everythingSettled(installation);
  const perSecond = capacity * RAIN;
  return { perSecond, tokens: tokensOf('u', Math.ceil(perSecond * seconds)) };
}

interface Cost {
  readonly processors: number;
  readonly perSecond: number;
}

/** Measured without a rain: during a rain, taps share more calls the slower they get, and hide the cost. */
async function costOf(rig: Rig, forMs: number, greed?: Greed): Promise<Cost> {
  const busy = greed && (await indulge(greed));
  const [before, began] = [rig.processors(), performance.now()];
  await pause(forMs);
  const processors = rig.processors() - before;
  const seconds = (performance.now() - began) / 1000;
  const served = (await busy?.end())?.served ?? 0;
  return { processors: processors / seconds, perSecond: served / seconds };
}

/**
 * Measures the other users next to the greedy user, and then next to a stranger who burns as much, as often.
 */
async function compare(rig: Rig, greed: Greed, { processors: cost, perSecond }: Cost): Promise<Sample> {
  const beside = await measure(rig, () => indulge(greed));
  const { p99Ms } = await measure(rig, () => burn(cost, perSecond));
  return { ...beside, cost, besideStrangerMs: p99Ms! };
}

interface Counts {
  served: number;
  refused: number;
}

async function measure(
  { installation, api, processors, tokens, perSecond }: Rig,
  besides?: () => Promise<{ end(): Promise<Counts | void> }>,
): Promise<Sample> {
  const activityId = await openActivity(operatorOf(api), tokens.length);
  // The API closes connections that stay idle for as long as a greedy user is measured alone.
  const clients = await crowd(CONNECTIONS, [api.port], ADDRESSES);
  const busy = await besides?.();
  const before = processors();
  const { heard, seconds } = await openLoop(clients, grabs(activityId, tokens), steadily(perSecond));
  const used = processors() - before;
  const { served, refused } = (await busy?.end()) ?? { served: 0, refused: 0 };
  for (const client of clients) client.close();
  if (!besides) expectOutcomes(heard, { [WON]: tokens.length });
  await everythingSettled(installation);
  const won = heard.filter(({ outcome }) => outcome === WON).length;
  return {
    winsPerSecond: won / seconds,
    notWon: heard.length - won,
    p99Ms: percentile(latenciesOf(heard), 0.99),
    processors: used / seconds,
    servedPerSecond: served / seconds,
    refusedPerSecond: refused / seconds,
  };
}

/** Acts at an even pace, or as fast as the answers come where they are slower. */
async function indulge({ perSecond, atOnce, open, act }: Greed) {
  const clients = await Promise.all(Array.from({ length: atOnce }, open));
  const counts: Counts = { served: 0, refused: 0 };
  const began = performance.now();
  const dueMs = steadily(perSecond);
  let [next, isWanted] = [0, true];
  const work = clients.map(async (client) => {
    while (isWanted && client.isOpen) {
      await pause(Math.max(0, began + dueMs(next++) - performance.now()));
      const { status } = await act(client).catch((): Reply => ({ status: 0, body: '' }));
      counts[status >= 200 && status < 300 ? 'served' : 'refused'] += 1;
    }
  });
  return {
    end: async () => {
      isWanted = false;
      await Promise.all(work);
      for (const client of clients) client.close();
      return counts;
    },
  };
}

async function kindsOf(api: Server): Promise<Greed[]> {
  const operator = operatorOf(api);
  const token = tokenOf(GREEDY);
  await operator.depositMoney(GREEDY, { amount: '10000000.00' });
  const own = await operator.createActivity({ ...rain(10, '10.00'), sponsorId: GREEDY });
  const kind = (name: string, act: Greed['act'], perSecond = USER_PER_SECOND, atOnce = AT_ONCE): Greed => ({
    name,
    act,
    perSecond,
    atOnce,
    open: () => Connection.open(api.port, GREEDY_ADDRESS),
  });
  const reads = (name: string, path: string, perSecond?: number) =>
    kind(name, (client) => client.ask(request('GET', path, token)), perSecond);
  const send = (client: Asker, path: string, body: object) =>
    client.ask(post(path, token, body, randomUUID()));
  let unknown = 10 ** 9;
  return [
    reads('wallet, by time', '/v1/me/wallet/entries?limit=100&to=2020-01-01T00:00:00Z'),
    reads('wallet, in long pages', '/v1/me/wallet/entries?limit=100'),
    reads('activities, by phase', '/v1/activities?limit=100&phase=scheduled'),
    reads('probe: ready', '/health/ready', PROBES_PER_SECOND),
    reads('probe: dependencies', '/health/dependencies', PROBES_PER_SECOND),
    kind(
      'create and cancel',
      async (client) => {
        const created = await send(client, '/v1/activities', rain(1_000, '10.00', 3_600_000));
        const { id } = JSON.parse(created.body) as { id?: string };
        return id === undefined ? created : send(client, `/v1/activities/${id}/cancel`, {});
      },
      USER_PER_SECOND / (2 * HEAVY),
      1,
    ),
    kind(
      'top-ups',
      (client) =>
        send(client, `/v1/activities/${own.body.id}/top-ups`, { amount: '10.01', packetCount: 1_001 }),
      USER_PER_SECOND / HEAVY,
      1,
    ),
    kind('previews of a million', (client) =>
      send(client, '/v1/split-previews', split(1_000_000, '100000.00')),
    ),
    {
      ...kind('watch unknown rains', (client) =>
        client.ask(watchFrame(Array.from({ length: 10 }, () => String(unknown++)))),
      ),
      atOnce: GATEWAY_CONNECTIONS,
      open: () => gatewayOf(api.url, token),
    },
  ];
}

/** A user whose requests have used up their limit is refused a WebSocket until a second is over. */
async function gatewayOf(apiUrl: string, token: string): Promise<GatewayLoad> {
  let gateway: GatewayLoad | undefined;
  const opens = async () => {
    gateway = await GatewayLoad.open(apiUrl, token, GREEDY_ADDRESS).catch((error: Error) => {
      if (error.message.endsWith(' 429')) return undefined;
      throw error;
    });
    return gateway !== undefined;
  };
  await until(opens, 'a WebSocket of the greedy user', OPENS_WITHIN_MS);
  return gateway!;
}

const split = (packetCount: number, totalAmount: string) => ({
  packetCount,
  totalAmount,
  split: { kind: 'random' } as const,
});

const rain = (packetCount: number, totalAmount: string, opensInMs = 0) => ({
  name: 'Rain',
  ...split(packetCount, totalAmount),
  opensAt: new Date(Date.now() + opensInMs).toISOString(),
  closesAt: new Date(Date.now() + opensInMs + 24 * 3_600_000).toISOString(),
});

function report({ perSecond }: Rig, figures: Figures): BenchResult {
  const calm = figures[CALM]!;
  const ratioTo = (other: readonly number[] | undefined, own: Own) =>
    other ? number(medianRatio(own.p99Ms!, other)) : '';
  return {
    tables: [
      tableOf(
        {
          title: `One API and one worker; ${number(perSecond)} taps a second of others, who all win, next to one greedy user`,
          first: 'greed',
          remark:
            `The greedy user has up to ${AT_ONCE} requests under way and sends as many as their limit allows; probes have none. ` +
            'Stranger: the same rain next to a process that uses as much of the processors as the greed, as often, but ' +
            'nothing of the product: its ratio to calm is what this machine makes of any such work. The second calm run shows the noise. Not won: taps that were answered without a confirmed packet, in ' +
            'all rounds. Processors: what the product and its engines used; of a greed, alone and beyond idle.',
        },
        figures,
        {
          'others: wins/s': 'winsPerSecond',
          'wins ÷ calm': (own) => number(medianRatio(own.winsPerSecond!, calm.winsPerSecond!)),
          'p99 ms': spreadOf('p99Ms'),
          'p99 ÷ calm': (own) => ratioTo(calm.p99Ms, own),
          'stranger ÷ calm': (own) =>
            own.besideStrangerMs ? number(medianRatio(own.besideStrangerMs, calm.p99Ms!)) : '',
          'p99 ÷ stranger': (own) => ratioTo(own.besideStrangerMs, own),
          'not won': (own) => number(own.notWon!.reduce((sum, count) => sum + count, 0)),
          processors: (own) => number(median(own.cost ?? own.processors!)),
          'greedy: served/s': 'servedPerSecond',
          'refused/s': 'refusedPerSecond',
        },
      ),
    ],
    targets: Object.entries(figures)
      .filter(([, own]) => own.besideStrangerMs)
      .flatMap(([name, own]) => targetsOf(name, own, calm)),
  };
}

type Own = Figures[string];

const targetsOf = (name: string, own: Own, calm: Own): Target[] => [
  atMost(`greedy, ${name}: p99 of the others ÷ calm`, RATIO_MAX, ' ×', medianRatio(own.p99Ms!, calm.p99Ms!)),
  atMost('… ÷ beside a stranger', RATIO_MAX, ' ×', medianRatio(own.p99Ms!, own.besideStrangerMs!)),
  atMost(
    '… calm ÷ their wins a second',
    RATIO_MAX,
    ' ×',
    medianRatio(calm.winsPerSecond!, own.winsPerSecond!),
  ),
];
