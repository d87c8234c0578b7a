import type { Bench, BenchResult, Table } from './bench';
import { Draws, USERS_PER_CALL } from './growth-draws';
import { postgresBytes, redisBytes } from './growth-memory';
import { type Figures, number, type Sample, spread, type Variant } from './measure';
import type { Stage } from './stage';

interface Axis {
  readonly what: string;
  readonly sizes: readonly number[];
  readonly variants: readonly Variant[];
}

interface Load {
  readonly calls: number;
  readonly rounds: number;
}

export const growth: Bench = {
  name: 'growth',
  question: 'Does a grab cost more when there are more winners, more activities?',
  run: measureGrowth,
};

async function measureGrowth(stage: Stage): Promise<BenchResult> {
  const load = { calls: stage.pick(2_000, 250, 16), rounds: stage.pick(5, 3, 0) };
  const axes = [await usersSoFar(stage, load), await activitiesAlive(stage, load)];
  const variants = axes.flatMap((axis) => axis.variants);
  const figures = await stage.interleave(variants, load.rounds);
  const redis = await redisBytes(stage, stage.pick(320_000, 32_000, 1_600));
  const postgres = await postgresBytes(stage, stage.pick(100_000, 20_000, 1_000));
  return {
    tables: [...axes.map((axis) => tableOf(axis, figures)), tableOfBytes(redis, postgres)],
    targets: [],
  };
}

const nameOf = (what: string, size: number): string => `${number(size)} ${what}`;

const grabsOf = ({ calls, rounds }: Load): number => calls * USERS_PER_CALL * (rounds + 1);

async function usersSoFar(stage: Stage, load: Load): Promise<Axis> {
  const what = 'users so far';
  const sizes = stage.pick([0, 100_000, 1_000_000], [0, 10_000, 100_000], [0, 100, 1_000]);
  const draws = new Draws(await stage.client(await stage.redis()));
  const variants: Variant[] = [];
  for (const size of sizes) {
    const crowded = await draws.open(grabsOf(load), size);
    variants.push({
      name: nameOf(what, size),
      run: async () => {
        const rain = size === 0 ? await draws.open(load.calls * USERS_PER_CALL) : crowded;
        return draws.draw([rain], load.calls);
      },
    });
  }
  return { what, sizes, variants };
}

async function activitiesAlive(stage: Stage, load: Load): Promise<Axis> {
  const what = 'activities alive';
  const sizes = stage.pick([10, 10_000, 100_000], [10, 1_000, 10_000], [2, 10, 100]);
  const variants: Variant[] = [];
  for (const size of sizes) {
    const draws = new Draws(await stage.client(await stage.redis()));
    const packetsEach = Math.ceil(grabsOf(load) / USERS_PER_CALL / size) * USERS_PER_CALL;
    const all = await draws.openMany(size, packetsEach);
    let next = 0;
    variants.push({
      name: nameOf(what, size),
      run: () => {
        const from = next;
        next += load.calls;
        return draws.draw(
          Array.from({ length: load.calls }, (_, i) => all[(from + i) % size]!),
          load.calls,
        );
      },
    });
  }
  return { what, sizes, variants };
}

function tableOf({ what, sizes }: Axis, figures: Figures): Table {
  return {
    title: `A grab and ${what}`,
    heading: [what, 'Redis CPU µs a grab', 'µs a grab'],
    rows: sizes.map((size) => {
      const own = figures[nameOf(what, size)]!;
      return [number(size), spread(own.cpuMicrosPerGrab!), spread(own.microsPerGrab!)];
    }),
    remark: `${USERS_PER_CALL} users a call, 8 calls in flight, all win; the append-only file is flushed every second.`,
  };
}

function tableOfBytes(redis: Sample, postgres: Sample): Table {
  const bytes = (value: number) => number(Math.round(value));
  return {
    title: 'Bytes for each',
    heading: ['', 'Redis', 'Postgres'],
    rows: [
      ['packet that nobody holds', bytes(redis.packetLeft!), bytes(postgres.packet!)],
      ['claim', bytes(redis.claim!), bytes(postgres.claim!)],
      ['reservation in the journal', bytes(redis.journaledReservation!), ''],
      ['transfer', '', bytes(postgres.transfer!)],
    ],
    remark:
      'Redis by its used memory, of one large rain; a reservation leaves the journal once it is confirmed. Postgres with all indexes.',
  };
}
