import type { ApiClient } from '../../libs/client';
import type { DemoPlan } from '../../src/dev/local/demo-activity';
import { type TicketKey, ticketFor } from '../harness/ticket';
import {
  claimsConfirmed,
  type Installation,
  install,
  NO_RATE_LIMITS,
  openActivity,
  operatorOf,
  redisIsTrusted,
  SPONSOR,
  tokenOf,
  tokensOf,
} from './api';
import { atMost, type Bench, type BenchResult, spreadOf, tableOf } from './bench';
import { askAll } from './load';
import { type Figures, medianRatio, number, type Sample } from './measure';
import type { Server } from './product';
import { grab, SOLD_OUT, WON } from './rains';
import { cpuSecondsWithChildren } from './server-cpu';
import type { Stage } from './stage';

const CONNECTIONS = 64;
const HOUR_MS = 3_600_000;
const US_PER_SECOND = 1e6;

/** The terms that a rain may have. All users' tokens are already known; their tickets are not. */
const TERMS = ['none', 'tickets', 'audience', 'limit', 'pace'] as const;
type Term = (typeof TERMS)[number];

interface Rig {
  readonly installation: Installation;
  readonly api: Server;
  readonly operator: ApiClient;
  readonly key: TicketKey;
  readonly users: number;
  readonly tokens: readonly string[];
  /** Rains whose only packet is gone. */
  readonly drained: Readonly<Record<(typeof LOSSES)[number], string>>;
}

export const terms: Bench = {
  name: 'terms',
  question: 'What do a ticket, an audience, a limit and a pace cost a tap?',
  async run(stage) {
    const rig = await assemble(stage);
    const wins = TERMS.map((term) => ({ name: winName(term), run: () => win(rig, term) }));
    const losses = LOSSES.map((term) => ({ name: lossName(term), run: () => lose(rig, term) }));
    return resultOf(await stage.interleave([...wins, ...losses], stage.pick(7, 2, 0)));
  },
};

const LOSSES = ['none', 'tickets', 'audience'] as const;

async function assemble(stage: Stage): Promise<Rig> {
  const installation = await install(stage);
  const api = await installation.api(NO_RATE_LIMITS);
  const worker = await installation.worker();
  await redisIsTrusted(api);
  await worker.stop();
  const operator = operatorOf(api);
  const key = await operator.createTicketKey({ sponsorId: SPONSOR });
  const users = stage.pick(16_000, 4_000, 200);
  const drained = {
    none: await openActivity(operator, 1),
    tickets: await openActivity(operator, 1, BY_TICKET),
    audience: await openActivity(operator, 1, BY_PASSWORD),
  };
  for (const term of LOSSES) {
    const keys = keysFor(key, drained[term], 'drainer', term);
    await tap(api, [grab(drained[term], tokenOf('drainer'), keys)], WON);
  }
  return { installation, api, operator, key, users, tokens: tokensOf('u', users), drained };
}

const BY_TICKET = { admission: 'ticket' } as const;

/** The audience that costs most: its password is read and hashed at each tap. */
const PASSWORD = '恭喜发财';
const BY_PASSWORD = { audience: { kind: 'password', password: PASSWORD } } as const;

let groups = 0;

function planOf(term: Term, packetCount: number): Partial<DemoPlan> {
  switch (term) {
    case 'none':
      return {};
    case 'tickets':
      return BY_TICKET;
    case 'audience':
      return BY_PASSWORD;
    case 'limit':
      return { limits: { perUser: 1, group: `group-${++groups}` } };
    case 'pace':
      return heldBack(packetCount);
  }
}

/** All packets but one were released an hour ago. */
function heldBack(packetCount: number): Partial<DemoPlan> {
  const inHours = (hours: number) => new Date(Date.now() + hours * HOUR_MS).toISOString();
  const waves = [
    { at: inHours(-1), count: packetCount - 1 },
    { at: inHours(1), count: 1 },
  ];
  return { opensAt: waves[0]!.at, pace: { kind: 'waves', waves } };
}

async function win(rig: Rig, term: Term): Promise<Sample> {
  const packetCount = term === 'pace' ? rig.users + 1 : rig.users;
  const activityId = await openActivity(rig.operator, packetCount, planOf(term, packetCount));
  const grabs = grabsOf(rig, activityId, term);
  return measured(rig, async () => {
    await tap(rig.api, grabs, WON);
    await claimsConfirmed(rig.installation, activityId, rig.users);
  });
}

function lose(rig: Rig, term: (typeof LOSSES)[number]): Promise<Sample> {
  const grabs = grabsOf(rig, rig.drained[term], term);
  return measured(rig, () => tap(rig.api, grabs, SOLD_OUT));
}

async function measured({ api, installation, users }: Rig, work: () => Promise<void>): Promise<Sample> {
  const used = () =>
    [api, installation.redis, installation.postgres].map(({ pid }) => cpuSecondsWithChildren(pid));
  const before = used();
  await work();
  const [ofApi, ofRedis, ofPostgres] = used().map(
    (after, i) => ((after - before[i]!) / users) * US_PER_SECOND,
  );
  return { api: ofApi!, redis: ofRedis!, all: ofApi! + ofRedis! + ofPostgres! };
}

function grabsOf({ key, tokens }: Rig, activityId: string, term: Term): Buffer[] {
  return tokens.map((token, i) => grab(activityId, token, keysFor(key, activityId, `u${i}`, term)));
}

/** The headers that a tap needs there. */
function keysFor(key: TicketKey, activityId: string, user: string, term: Term): Record<string, string> {
  if (term === 'tickets') return { ticket: ticketFor(key, activityId, user) };
  return term === 'audience' ? { 'packet-password': encodeURIComponent(PASSWORD) } : {};
}

async function tap({ port }: Server, grabs: readonly Buffer[], outcome: string): Promise<void> {
  await askAll(port, grabs, { outcome, count: CONNECTIONS });
}

const winName = (term: Term): string => `all win, ${term}`;
const lossName = (term: Term): string => `sold out, ${term}`;

function resultOf(figures: Figures): BenchResult {
  const ratio = (over: string, under: string, figure = 'api') =>
    medianRatio(figures[over]![figure]!, figures[under]![figure]!);
  const base = (name: string) => (name.startsWith('all win') ? winName('none') : lossName('none'));
  return {
    tables: [
      tableOf(
        {
          title: `Processor time of a tap, ${CONNECTIONS} connections, µs`,
          first: '',
          remark: 'A win counts from the tap to the commit. Ratios are medians of those of the rounds.',
        },
        figures,
        {
          API: spreadOf('api'),
          '÷ none': (_, name) => number(ratio(name, base(name))),
          Redis: spreadOf('redis'),
          'API, Redis and Postgres': spreadOf('all'),
          '÷ none, all': (_, name) => number(ratio(name, base(name), 'all')),
        },
      ),
    ],
    targets: [
      atMost('API, a win: with a ticket ÷ without', 1.25, '', ratio(winName('tickets'), winName('none'))),
      atMost('… sold out', 1.25, '', ratio(lossName('tickets'), lossName('none'))),
      atMost('API, a win: with an audience ÷ public', 1.15, '', ratio(winName('audience'), winName('none'))),
      atMost('… sold out', 1.15, '', ratio(lossName('audience'), lossName('none'))),
      atMost(
        'all programs, a win: with a pace ÷ without',
        1.1,
        '',
        ratio(winName('pace'), winName('none'), 'all'),
      ),
      atMost('… with a limit', 1.5, '', ratio(winName('limit'), winName('none'), 'all')),
    ],
  };
}
