import { atLeast, type Bench, type BenchResult, type Table, type Target } from './bench';
import type { Chart } from './chart';
import { plainSet, scriptVariant } from './lua/by-server';
import { ourScript, publishedScript } from './lua/scripts';
import { type Figures, median, medianRatio, number, spread } from './measure';
import type { AppendFsync, Stage } from './stage';

/** Users per call; 0 is the published script, which takes one user. */
const SCRIPTS = [0, 1, 16, 64];

const GRABS: Readonly<Record<number, number>> = { 0: 60_000, 1: 60_000, 16: 240_000, 64: 320_000 };
const QUICK_SHARE = 1 / 3;
const TINY_SHARE = 1 / 60;

const scriptName = (users: number): string =>
  users === 0 ? 'published' : `ours, ${users === 1 ? 'one user' : `${users} users`} a call`;

const nameOf = (users: number, fsync: AppendFsync): string => `${scriptName(users)}, append-only ${fsync}`;

export const lua: Bench = {
  name: 'lua',
  question: 'What does one grab cost Redis, compared with the published script of this field?',
  async run(stage) {
    return resultOf({ ...(await measureScripts(stage, 'off')), ...(await measureScripts(stage, 'always')) });
  },
};

async function measureScripts(stage: Stage, fsync: AppendFsync): Promise<Figures> {
  const engine = await stage.redis(fsync);
  const redis = await stage.client(engine);
  // A rewrite of the append-only file in the middle of a run would be measured as well.
  await redis.config('SET', 'auto-aof-rewrite-percentage', '0');
  const share = stage.pick(1, QUICK_SHARE, TINY_SHARE);
  const variants = SCRIPTS.map((users) =>
    scriptVariant(engine, redis, {
      name: nameOf(users, fsync),
      script: users === 0 ? publishedScript(redis) : ourScript(redis),
      usersPerCall: users || 1,
      grabs: GRABS[users]! * share,
    }),
  );
  if (fsync !== 'off') return stage.interleave(variants, stage.pick(5, 1, 0));
  const limit = plainSet(engine, redis, GRABS[0]! * share);
  return stage.interleave([limit, ...variants], stage.pick(5, 1, 0));
}

function resultOf(scripts: Figures): BenchResult {
  return {
    tables: [cpuTable(scripts), fsyncTable(scripts)],
    charts: [cpuChart(scripts)],
    targets: targetsOf(scripts),
  };
}

function cpuTable(figures: Figures): Table {
  const published = figures[nameOf(0, 'off')]!;
  const rows = SCRIPTS.map((users) => {
    const own = figures[nameOf(users, 'off')]!;
    return [
      scriptName(users),
      spread(own.grabsPerSecond!),
      spread(own.redisCpuPerGrabUs!),
      number(medianRatio(own.grabsPerCpuSecond!, published.grabsPerCpuSecond!)),
      number(medianRatio(own.grabsPerSecond!, published.grabsPerSecond!)),
    ];
  });
  const set = figures['plain SET']!;
  rows.push(['plain SET', spread(set.grabsPerSecond!), spread(set.redisCpuPerGrabUs!), '', '']);
  return {
    title: 'One grab in Redis when all win: 50 clients, no pipeline, append-only off',
    heading: ['', 'grabs/s', 'Redis CPU µs a grab', '× published per CPU second', '× published per second'],
    rows,
    remark:
      'redis-benchmark builds each of its calls on the same processors, so grabs/s is what both can do together; the CPU is only the server’s.\nOurs looks at clock and window, journals every win and answers a retry with the same packet; the published script does none of these.',
  };
}

function fsyncTable(figures: Figures): Table {
  const settings: readonly AppendFsync[] = ['off', 'always'];
  return {
    title: 'The same by how Redis keeps its append-only file',
    heading: [
      '',
      ...settings.map((fsync) => `${fsync}: grabs/s`),
      ...settings.map((fsync) => `${fsync}: × published`),
    ],
    rows: SCRIPTS.map((users) => {
      const rates = (of: number) => settings.map((fsync) => figures[nameOf(of, fsync)]!.grabsPerSecond!);
      const published = rates(0);
      return [
        scriptName(users),
        ...rates(users).map(spread),
        ...rates(users).map((own, i) => number(medianRatio(own, published[i]!))),
      ];
    }),
    remark: 'Users of one call share one write to the file, and with always one flush to the disk.',
  };
}

function cpuChart(figures: Figures): Chart {
  const bars = SCRIPTS.map((users) => ({
    name: scriptName(users),
    value: median(figures[nameOf(users, 'off')]!.grabsPerCpuSecond!),
    ours: users > 0,
  }));
  bars.push({ name: 'plain SET', value: median(figures['plain SET']!.grabsPerCpuSecond!), ours: false });
  return {
    file: 'lua-cpu',
    title: 'Grabs that one second of Redis CPU hands out, all win',
    unit: 'grabs per Redis CPU second',
    bars,
  };
}

function targetsOf(figures: Figures): Target[] {
  const ratio = (users: number, figure: string, fsync: AppendFsync) =>
    medianRatio(figures[nameOf(users, fsync)]![figure]!, figures[nameOf(0, fsync)]![figure]!);
  return [
    atLeast(
      'our script, 16 users a call ÷ published, grabs per Redis CPU second',
      6,
      ' ×',
      ratio(16, 'grabsPerCpuSecond', 'off'),
    ),
    atLeast(
      'our script, one user a call ÷ published, grabs per Redis CPU second',
      1,
      ' ×',
      ratio(1, 'grabsPerCpuSecond', 'off'),
    ),
    atLeast(
      'with appendfsync always, 16 users a call ÷ published, grabs per second',
      6,
      ' ×',
      ratio(16, 'grabsPerSecond', 'always'),
    ),
  ];
}
