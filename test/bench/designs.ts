import type { Redis } from 'ioredis';
import type { Engine } from '../../src/dev/engines';
import { atLeast, type Bench, type BenchResult, type Table, type Target } from './bench';
import { connect, DESIGN_NAMES, LOCK, OURS, SKIP_LOCKED, startDesign } from './designs/all';
import type { Design } from './designs/design';
import { killInMidLoad, type Loss } from './designs/kill';
import { checkRain, rush } from './designs/rush';
import { createTables } from './designs/tables';
import {
  cpuSeconds,
  type Figures,
  median,
  medianRatio,
  number,
  percentile,
  spread,
  type Variant,
} from './measure';
import { cpuSecondsWithChildren } from './server-cpu';
import type { Stage } from './stage';

const IN_FLIGHT = 64;

const CROWD_IN_FLIGHT = 512;
const CROWD_DESIGNS = [SKIP_LOCKED, OURS];
const MICROSECONDS = 1_000_000;

const KILLS = 3;

/** The packets of a rain whose process is killed. The sooner that happens, the fewer it needs. */
const PACKETS_TO_KILL_FOR = 60_000;
const PACKETS_TO_KILL_FOR_TINY = 20_000;

/** More packets than all but the fastest design can hand out in the given time. */
const PACKETS_FULL = 250_000;
const PACKETS_QUICK = 60_000;
const PACKETS_TINY = 5_000;

interface Contest {
  readonly stage: Stage;
  readonly designs: ReadonlyMap<string, Design>;
  readonly postgres: Engine;
  readonly redis: Engine;
  readonly client: Redis;
}

export const designs: Bench = {
  name: 'designs',
  question: 'How do the designs that people choose compare, in speed and in what a kill -9 costs?',
  async run(stage) {
    const contest = await prepare(stage);
    const rounds = stage.pick(5, 1, 0);
    const variants = [
      ...DESIGN_NAMES.map((name) => speedOf(name, IN_FLIGHT, contest)),
      ...CROWD_DESIGNS.map((name) => speedOf(name, CROWD_IN_FLIGHT, contest)),
    ];
    const figures = await stage.interleave(variants, rounds);
    const losses = new Map<string, readonly Loss[]>();
    for (const [name, design] of contest.designs) losses.set(name, await lossesOf(name, design, contest));
    const result = resultOf(contest, figures, losses);
    return { ...result, tables: [...result.tables, await loadsOf(contest)] };
  },
};

/** A failure that is shown: two processes that bring the packets of one rain into Redis. */
async function loadsOf({ stage, postgres, redis }: Contest): Promise<Table> {
  const { byGetThenSet, byOurs } = await import('./designs/loads.js');
  const times = stage.pick(100, 20, 3);
  const ours = await byOurs(postgres.url, redis.url)(times);
  if (ours > 0) throw new Error(`Ours loaded ${ours} of ${times} rains wrongly.`);
  return {
    title: `Two processes load one rain at once, ${times} times`,
    heading: ['way', 'rains with packets that do not exist'],
    rows: [
      ['GET of a mark, then SET, then LPUSH', number(await byGetThenSet(redis.url)(times))],
      ['ours', number(ours)],
    ],
  };
}

async function prepare(stage: Stage): Promise<Contest> {
  const [postgres, redis] = await Promise.all([stage.postgres(), stage.redis()]);
  await stage.dataSource(postgres);
  const pg = connect(postgres.url, 1);
  await createTables(pg);
  await pg.end();
  const client = await stage.client(redis);
  await client.config('SET', 'auto-aof-rewrite-percentage', '0');
  const designs = new Map<string, Design>();
  for (const name of DESIGN_NAMES) {
    const design = await startDesign(name, postgres.url, redis.url);
    stage.atEnd(() => design.end());
    designs.set(name, design);
  }
  return { stage, designs, postgres, redis, client };
}

const crowdOf = (name: string): string => `${name}, ${CROWD_IN_FLIGHT} in flight`;

function speedOf(name: string, inFlight: number, { stage, designs, postgres, redis }: Contest): Variant {
  const design = designs.get(name)!;
  const packets = stage.pick(PACKETS_FULL, PACKETS_QUICK, PACKETS_TINY);
  const lastsMs = stage.pick(2_000, 1_000, 100);
  const cpuUsed = () =>
    cpuSecondsWithChildren(postgres.pid) + cpuSeconds(redis.pid) + cpuSeconds(process.pid);
  return {
    name: inFlight === IN_FLIGHT ? name : crowdOf(name),
    async run() {
      const rainId = await design.open(packets);
      const cpuBefore = cpuUsed();
      const until = performance.now() + lastsMs;
      const { won, latenciesMs, seconds } = await rush(design, {
        rainId,
        inFlight,
        goOn: (tapped) => performance.now() < until && tapped < packets,
      });
      await design.settled();
      const cpu = cpuUsed() - cpuBefore;
      await checkRain(name, design, { rainId, packets, won });
      return {
        grabsPerSecond: won.size / seconds,
        cpuPerGrabUs: (cpu / won.size) * MICROSECONDS,
        p50Ms: median(latenciesMs),
        p99Ms: percentile(latenciesMs, 0.99),
      };
    },
  };
}

async function lossesOf(name: string, design: Design, contest: Contest): Promise<Loss[]> {
  const { stage, postgres, redis, client } = contest;
  const pg = connect(postgres.url, 1);
  const losses: Loss[] = [];
  const urls = { databaseUrl: postgres.url, redisUrl: redis.url };
  try {
    for (let i = 0; i < stage.pick(KILLS, 1, 1); i++) {
      const logFile = `${stage.newDir('victim')}.log`;
      const packets = stage.pick(PACKETS_TO_KILL_FOR, PACKETS_TO_KILL_FOR, PACKETS_TO_KILL_FOR_TINY);
      losses.push(
        await killInMidLoad({ name, design, packets, inFlight: IN_FLIGHT, ...urls, logFile }, pg, client),
      );
    }
  } finally {
    await pg.end();
  }
  return losses;
}

function resultOf(
  { designs, stage }: Contest,
  speed: Figures,
  losses: ReadonlyMap<string, readonly Loss[]>,
): BenchResult {
  const figures: Figures = {
    ...speed,
    ...Object.fromEntries(
      DESIGN_NAMES.map((name) => [name, { ...speed[name], ...figuresOf(losses.get(name)!) }]),
    ),
  };
  checkPromises(designs, figures);
  return {
    tables: [tableOf(designs, figures, stage.pick(KILLS, 1, 1))],
    charts: [
      {
        file: 'designs-grabs',
        title: 'Grabs per second, everybody wins, 64 in flight',
        unit: 'grabs per second',
        bars: DESIGN_NAMES.map((name) => ({
          name: designs.get(name)!.losesNothing ? name : `${name} *`,
          value: median(figures[name]!.grabsPerSecond!),
          ours: name === OURS,
        })),
      },
    ],
    targets: targetsOf(designs, figures),
  };
}

const figuresOf = (losses: readonly Loss[]) => ({
  toldInVain: losses.map(({ toldInVain }) => toldInVain),
  vanished: losses.map(({ vanished }) => vanished),
});

/** A design that promises to lose nothing must lose nothing here, or the measurement is wrong. */
function checkPromises(designs: ReadonlyMap<string, Design>, figures: Figures): void {
  for (const [name, { losesNothing }] of designs) {
    const lost = sum(figures[name]!.toldInVain!) + sum(figures[name]!.vanished!);
    if (losesNothing && lost > 0) throw new Error(`${name} should lose nothing and lost ${lost}.`);
  }
}

function tableOf(designs: ReadonlyMap<string, Design>, figures: Figures, kills: number): Table {
  const crowds = CROWD_DESIGNS.map(crowdOf);
  const ours = (name: string) => figures[crowds.includes(name) ? crowdOf(OURS) : OURS]!.grabsPerSecond!;
  return {
    title: `Designs of a red packet rain, ${IN_FLIGHT} in flight, without HTTP`,
    heading: [
      'design',
      'grabs/s',
      'ours ÷ it',
      'CPU µs a grab',
      'p50 ms',
      'p99 ms',
      'told wrongly',
      'vanished',
      'remark',
    ],
    rows: [...DESIGN_NAMES, ...crowds].map((name) => {
      const { toldInVain, vanished, ...own } = figures[name]!;
      return [
        name,
        spread(own.grabsPerSecond!),
        number(medianRatio(ours(name), own.grabsPerSecond!)),
        number(median(own.cpuPerGrabUs!)),
        number(median(own.p50Ms!)),
        number(median(own.p99Ms!)),
        toldInVain ? number(sum(toldInVain)) : '',
        vanished ? number(sum(vanished)) : '',
        designs.get(name)?.remark ?? '',
      ];
    }),
    remark: [
      `CPU: Node, Redis and Postgres together. Where grabs wait in line, the line is the limit, not the CPU.`,
      `Told wrongly, vanished: after ${kills} × kill -9 under load and a recovery, users who were told of a packet that Postgres does not know, and packets that nobody has and nobody can get.`,
    ].join('\n'),
  };
}

function targetsOf(designs: ReadonlyMap<string, Design>, figures: Figures): Target[] {
  const rate = (name: string) => figures[name]!.grabsPerSecond!;
  const safe = DESIGN_NAMES.filter((name) => name !== OURS && designs.get(name)!.losesNothing);
  const best = safe.reduce((a, b) => (median(rate(a)) >= median(rate(b)) ? a : b));
  return [
    atLeast(
      `answer after commit, all win ÷ best design that loses nothing, ${IN_FLIGHT} in flight`,
      5,
      ' ×',
      medianRatio(rate(OURS), rate(best)),
    ),
    atLeast(
      `the same, ${CROWD_IN_FLIGHT} in flight`,
      5,
      ' ×',
      medianRatio(rate(crowdOf(OURS)), rate(crowdOf(SKIP_LOCKED))),
    ),
    atLeast(
      'answer after commit, all win ÷ distributed lock per activity',
      15,
      ' ×',
      medianRatio(rate(OURS), rate(LOCK)),
    ),
  ];
}

const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);
