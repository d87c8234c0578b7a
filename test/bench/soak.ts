import type { ApiClient } from '../../libs/client';
import {
  checkBooks,
  everythingSettled,
  type Installation,
  install,
  openActivity,
  openFiles,
  operatorOf,
  tokensOf,
} from './api';
import { atMost, type Bench, type BenchResult } from './bench';
import { type Connection, connections, type Heard, openLoop, request, steadily } from './load';
import { median, memoryOf, number, percentile, spread } from './measure';
import { ALREADY, grab, SOLD_OUT, WON } from './rains';
import type { Stage } from './stage';

const MIB = 1024 * 1024;
const CONNECTIONS = 64;
const RAINS_PER_WINDOW = 2;
const WALLET_EVERY = 10;
const EXPECTED = [WON, ALREADY, SOLD_OUT, '200'];

interface Plan {
  readonly windows: number;
  readonly rainSeconds: number;
  readonly perSecond: number;
  readonly users: number;
}

type Pids = Readonly<Record<string, number>>;

interface Window {
  readonly grabP99Ms: number;
  readonly memoryMib: Readonly<Record<string, number>>;
  readonly openFiles: Readonly<Record<string, number>>;
}

export const soak: Bench = {
  name: 'soak',
  question: 'Does anything grow over ten minutes of mixed load?',
  async run(stage) {
    const plan = planOf(stage);
    const installation = await install(stage);
    const apis = [await installation.api(), await installation.api()];
    const worker = await installation.worker();
    const ours = { 'API 1': apis[0]!.pid, 'API 2': apis[1]!.pid, worker: worker.pid };
    const clients = await connections(
      CONNECTIONS,
      apis.map(({ port }) => port),
    );
    const town = new Town(operatorOf(apis[0]!), clients, tokensOf('u', plan.users), plan);
    const windows = await live(stage, town, { ...ours, Redis: installation.redis.pid }, plan);
    for (const client of clients) client.close();
    await checkMoney(installation, town.won);
    return report(windows, Object.keys(ours), plan);
  },
};

const planOf = (stage: Stage): Plan => ({
  windows: stage.pick(60, 10, 3),
  rainSeconds: stage.pick(5, 2, 0.25),
  perSecond: stage.pick(800, 400, 400),
  users: stage.pick(1500, 300, 60),
});

class Town {
  won = 0;
  private rains = 0;
  private previous?: string;

  constructor(
    private readonly operator: ApiClient,
    private readonly clients: readonly Connection[],
    private readonly tokens: readonly string[],
    private readonly plan: Plan,
  ) {}

  /** Runs one rain and closes the one before it. Returns the latencies of its grabs. */
  async rain(): Promise<number[]> {
    const activityId = await openActivity(this.operator, this.packets());
    const closed = this.closePrevious();
    const requests = this.requests(activityId);
    const { heard } = await openLoop(this.clients, requests, steadily(this.plan.perSecond));
    await closed;
    this.previous = activityId;
    this.count(heard);
    return heard.filter(isGrab).map(({ latencyMs }) => latencyMs);
  }

  /** Alternates between too few packets for all users and too many. */
  private packets(): number {
    return Math.ceil(this.tokens.length * (this.rains++ % 2 === 0 ? 0.5 : 1.5));
  }

  private requests(activityId: string): Buffer[] {
    return Array.from({ length: this.plan.perSecond * this.plan.rainSeconds }, (_, i) => {
      const token = this.tokens[Math.floor(Math.random() * this.tokens.length)]!;
      return isGrab({ request: i }) ? grab(activityId, token) : request('GET', '/v1/me/wallet', token);
    });
  }

  private async closePrevious(): Promise<void> {
    const { previous: id } = this;
    if (id !== undefined) await this.operator.closeActivity(id);
  }

  private count(heard: readonly Heard[]): void {
    const odd = heard.find(({ outcome }) => !EXPECTED.includes(outcome));
    if (odd) throw new Error(`A request was answered ${odd.outcome}.`);
    this.won += heard.filter(({ outcome }) => outcome === WON).length;
  }
}

const isGrab = ({ request }: { request: number }): boolean => request % WALLET_EVERY !== 0;

async function live(stage: Stage, town: Town, pids: Pids, plan: Plan): Promise<Window[]> {
  const windows: Window[] = [];
  const progress = stage.progress(plan.windows);
  await town.rain();
  for (let window = 0; window < plan.windows; window++) {
    const latencies: number[] = [];
    for (let rain = 0; rain < RAINS_PER_WINDOW; rain++) latencies.push(...(await town.rain()));
    windows.push(observe(latencies, pids));
    progress.advance();
  }
  progress.end();
  return windows;
}

function observe(latencies: readonly number[], pids: Pids): Window {
  const each = (look: (pid: number) => number) =>
    Object.fromEntries(Object.entries(pids).map(([name, pid]) => [name, look(pid)]));
  return {
    grabP99Ms: percentile(latencies, 0.99),
    memoryMib: each((pid) => memoryOf(pid).now / MIB),
    openFiles: each(openFiles),
  };
}

async function checkMoney(installation: Installation, won: number): Promise<void> {
  await everythingSettled(installation);
  const [row]: { claims: number }[] = await installation.dataSource.query(
    'select count(*)::integer as claims from claim',
  );
  if (row!.claims !== won)
    throw new Error(`${won} users were told "won", Postgres has ${row!.claims} claims.`);
  await checkBooks(installation);
}

function report(windows: readonly Window[], ours: readonly string[], plan: Plan): BenchResult {
  const p99 = windows.map((window) => window.grabP99Ms);
  const names = Object.keys(windows[0]!.memoryMib);
  const memory = (name: string) => windows.map(({ memoryMib }) => memoryMib[name]!);
  const files = (name: string) => windows.map((window) => window.openFiles[name]!);
  const worst = (series: (name: string) => readonly number[]) =>
    Math.max(...ours.map((name) => growth(series(name))));
  return {
    tables: [
      {
        title: `${number(plan.perSecond)} requests a second on two APIs and a worker, a new rain every ${plan.rainSeconds} s`,
        heading: ['what', 'all the time', 'middle third', 'last third', 'last ÷ middle'],
        rows: [
          row('p99 of grabs, ms', p99),
          ...names.map((name) => row(`memory of ${name}, MiB`, memory(name))),
          ...ours.map((name) => row(`open files of ${name}`, files(name))),
        ],
        remark: 'Redis keeps who won, also of closed rains, so it grows with the claims.',
      },
    ],
    targets: [
      atMost('memory of API and worker, last third ÷ middle third', 1.1, ' ×', worst(memory)),
      atMost('p99, last third ÷ middle third', 1.25, ' ×', growth(p99)),
      atMost('open files of API and worker, last third ÷ middle third', 1.1, ' ×', worst(files)),
    ],
  };
}

const row = (name: string, values: readonly number[]): string[] => {
  const [, middle, last] = thirds(values);
  return [name, spread(values), number(median(middle)), number(median(last)), number(growth(values))];
};

function thirds(values: readonly number[]): [number[], number[], number[]] {
  const [first, second] = [Math.round(values.length / 3), Math.round((values.length * 2) / 3)];
  return [values.slice(0, first), values.slice(first, second), values.slice(second)];
}

function growth(values: readonly number[]): number {
  const [, middle, last] = thirds(values);
  return median(last) / median(middle);
}
