import {
  checkBooks,
  everythingSettled,
  type Installation,
  install,
  openActivity,
  operatorOf,
  redisIsTrusted,
  tokensOf,
} from './api';
import { atLeast, atMost, type Bench, type BenchResult } from './bench';
import { closedLoop, crowd, expectOutcomes, type Heard, latenciesOf, openLoop } from './load';
import { median, number, percentile } from './measure';
import { ALREADY, grabs, WON } from './rains';
import type { Server } from './product';
import type { Stage } from './stage';

/** Enough addresses that no limit per address takes effect: this is a crowd, not an attacker. */
const ADDRESSES = 128;
const CONNECTIONS_FOR_CAPACITY = 512;
const CAPACITY_RUNS = 3;
const OVERLOAD = 2;
const QUIET = 0.5;
/** The p99 is normal again at no more than this multiple of its earlier value. */
const NORMAL = 2;
const SLICE_MS = 500;
const REFUSED = /^(429|503)/;

interface Plan {
  readonly users: number;
  readonly connections: number;
  readonly quietSeconds: number;
  readonly overloadSeconds: number;
}

/** A flood in which every request wins: each user once in each of these activities. */
interface Flood {
  readonly activityIds: readonly string[];
  readonly requests: readonly Buffer[];
}

interface Slice {
  readonly answeredPerSecond: number;
  readonly refusedPerSecond: number;
  readonly notSentPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export const overload: Bench = {
  name: 'overload',
  question: 'What happens if there are twice as many winners as the machine can confirm?',
  async run(stage) {
    const plan = planOf(stage);
    const installation = await install(stage);
    const api = await installation.api();
    await installation.worker();
    const tokens = tokensOf('u', plan.users);
    const capacity = await capacityOf(installation, api, tokens);
    await api.stop();
    return report(plan, capacity, await flooded(installation, { plan, capacity, tokens }));
  },
};

async function flooded(
  installation: Installation,
  { plan, capacity, tokens }: { plan: Plan; capacity: number; tokens: readonly string[] },
): Promise<Outcome> {
  const api = await installation.api();
  await redisIsTrusted(api);
  const flood = await prepare(api, tokens, countOf(plan, capacity));
  const clients = await crowd(plan.connections, [api.port], ADDRESSES);
  const { heard } = await openLoop(clients, flood.requests, dueIn(plan, capacity), plan.connections);
  for (const client of clients) client.close();
  const missing = await toldInVain(installation, flood, tokens.length, heard);
  return { slices: slicesOf(heard, dueIn(plan, capacity)), heard, missing };
}

const planOf = (stage: Stage): Plan => ({
  users: stage.pick(8000, 1000, 500),
  connections: stage.pick(8000, 4000, 200),
  quietSeconds: stage.pick(15, 4, 0.5),
  overloadSeconds: stage.pick(20, 4, 0.5),
});

/** Winning grabs per second if every client asks again at once; the first run warms up. */
async function capacityOf(
  installation: Installation,
  api: Server,
  tokens: readonly string[],
): Promise<number> {
  const clients = await crowd(CONNECTIONS_FOR_CAPACITY, [api.port], ADDRESSES);
  const rates: number[] = [];
  for (let run = 0; run <= CAPACITY_RUNS; run++) {
    const { requests } = await prepare(api, tokens, tokens.length);
    const { heard, seconds } = await closedLoop(clients, requests);
    expectOutcomes(heard, { [WON]: tokens.length });
    if (run > 0) rates.push(heard.length / seconds);
  }
  for (const client of clients) client.close();
  await everythingSettled(installation);
  return median(rates);
}

async function prepare(api: Server, tokens: readonly string[], count: number): Promise<Flood> {
  const operator = operatorOf(api);
  const activityIds: string[] = [];
  const requests: Buffer[] = [];
  while (requests.length < count) {
    const activityId = await openActivity(operator, tokens.length);
    activityIds.push(activityId);
    requests.push(...grabs(activityId, tokens));
  }
  return { activityIds, requests: requests.slice(0, count) };
}

const countOf = ({ quietSeconds, overloadSeconds }: Plan, capacity: number): number =>
  Math.floor(capacity * (2 * QUIET * quietSeconds + OVERLOAD * overloadSeconds));

function dueIn({ quietSeconds, overloadSeconds }: Plan, capacity: number): (request: number) => number {
  const quiet = QUIET * capacity;
  const flooded = OVERLOAD * capacity;
  const [floodAt, ebbAt] = [quiet * quietSeconds, quiet * quietSeconds + flooded * overloadSeconds];
  return (request) => {
    if (request < floodAt) return (request / quiet) * 1000;
    if (request < ebbAt) return (quietSeconds + (request - floodAt) / flooded) * 1000;
    return (quietSeconds + overloadSeconds + (request - ebbAt) / quiet) * 1000;
  };
}

function slicesOf(heard: readonly Heard[], dueMs: (request: number) => number): Slice[] {
  const due = grouped(heard, ({ request }) => dueMs(request));
  const said = grouped(heard, ({ request, latencyMs }) => dueMs(request) + latencyMs);
  return due.map((slice, i): Slice => {
    const perSecond = (counts: (outcome: string) => boolean) =>
      ((said[i] ?? []).filter(({ outcome }) => counts(outcome)).length * 1000) / SLICE_MS;
    const answered = slice.filter(({ outcome }) => outcome.startsWith('2'));
    return {
      answeredPerSecond: perSecond((outcome) => outcome.startsWith('2')),
      refusedPerSecond: perSecond((outcome) => REFUSED.test(outcome)),
      notSentPerSecond: perSecond((outcome) => outcome === 'not sent'),
      p50Ms: answered.length === 0 ? 0 : percentile(latenciesOf(answered), 0.5),
      p99Ms: answered.length === 0 ? 0 : percentile(latenciesOf(answered), 0.99),
    };
  });
}

function grouped(heard: readonly Heard[], atMs: (one: Heard) => number): Heard[][] {
  const slices: Heard[][] = [];
  for (const one of heard) (slices[Math.floor(atMs(one) / SLICE_MS)] ??= []).push(one);
  return Array.from(slices, (slice) => slice ?? []);
}

/** Number of answered winners whom Postgres does not know, once all claims are paid. */
async function toldInVain(
  installation: Installation,
  { activityIds }: Flood,
  users: number,
  heard: readonly Heard[],
): Promise<number> {
  await everythingSettled(installation);
  const rows: { activity_id: string; user_id: string }[] = await installation.dataSource.query(
    'select activity_id, user_id from claim where activity_id = any($1::bigint[])',
    [activityIds],
  );
  await checkBooks(installation);
  const claims = new Set(rows.map((row) => `${row.activity_id} ${row.user_id}`));
  const told = heard.filter(({ outcome }) => outcome === WON || outcome === ALREADY);
  return told.filter(({ request }) => {
    const activityId = activityIds[Math.floor(request / users)]!;
    return !claims.has(`${activityId} u${request % users}`);
  }).length;
}

interface Outcome {
  readonly slices: readonly Slice[];
  readonly heard: readonly Heard[];
  readonly missing: number;
}

function report(plan: Plan, capacity: number, { slices, heard, missing }: Outcome): BenchResult {
  const { before, during, after } = phases(plan, slices);
  const recoverySeconds = recovery(before, after);
  const cutOff = heard.filter(({ outcome }) => outcome === 'cut off');
  return {
    tables: [
      {
        title: `One API and one worker, ${ADDRESSES} client addresses, ${number(plan.connections)} connections; capacity ${number(capacity)} wins/s`,
        heading: ['load', '2xx/s', '429, 503/s', 'not sent/s', 'p50 ms', 'p99 ms'],
        rows: [row('half the capacity', before), row('twice the capacity', during), row('half again', after)],
        remark:
          `p99 is normal again ${number(recoverySeconds)} s after the load has fallen; ${cutOff.length} connections were cut off. ` +
          'p50 and p99 are of those who were answered 2xx. Not sent: all connections were busy and as many requests waited for one, so the client gave up.',
      },
    ],
    targets: [
      atMost('told winners whom Postgres does not know', 0, '', missing),
      atLeast(
        'answered at twice the capacity ÷ capacity',
        0.7,
        ' ×',
        mean(during, 'answeredPerSecond') / capacity,
      ),
      atMost('p99 is normal again after overload', 5, ' s', recoverySeconds),
    ],
  };
}

function phases({ quietSeconds, overloadSeconds }: Plan, slices: readonly Slice[]) {
  const floodAt = (quietSeconds * 1000) / SLICE_MS;
  const ebbAt = floodAt + (overloadSeconds * 1000) / SLICE_MS;
  return {
    before: slices.slice(0, floodAt),
    during: slices.slice(floodAt, ebbAt),
    after: slices.slice(ebbAt),
  };
}

function recovery(before: readonly Slice[], after: readonly Slice[]): number {
  const normal = NORMAL * median(before.map(({ p99Ms }) => p99Ms));
  const slice = after.findIndex(({ p99Ms }) => p99Ms > 0 && p99Ms <= normal);
  return ((slice < 0 ? after.length : slice) * SLICE_MS) / 1000;
}

const mean = (slices: readonly Slice[], figure: keyof Slice): number =>
  slices.reduce((sum, slice) => sum + slice[figure], 0) / slices.length;

const row = (load: string, slices: readonly Slice[]): string[] => [
  load,
  number(mean(slices, 'answeredPerSecond')),
  number(mean(slices, 'refusedPerSecond')),
  number(mean(slices, 'notSentPerSecond')),
  number(median(slices.map(({ p50Ms }) => p50Ms))),
  number(median(slices.map(({ p99Ms }) => p99Ms))),
];
