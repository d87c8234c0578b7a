import { homeOf, OwnRedis, Reservations } from '../../libs/redis-scripts';
import type { RedisTrust } from '../../src/core/dispenser';
import { DrawService } from '../../src/core/grab/draw/draw.service';
import { PartDraws } from '../../src/core/grab/parts/part-draws';
import { PartLengths } from '../../src/core/grab/parts/part-lengths';
import { Metrics } from '../../src/platform/telemetry';
import { DispenserParts } from '../harness/dispenser-parts';
import { atMost, type Bench, type BenchResult } from './bench';
import type { Stage } from './stage';
import { openRain } from './packets';
import {
  clocked,
  type Figures,
  median,
  medianRatio,
  number,
  type Sample,
  spread,
  type Variant,
} from './measure';

const PARTS = [1, 4];
const SHARDS = 16;
const ACTIVITY_ID = '1';
const USERS_PER_SCRIPT = 64;
const IN_FLIGHT = 1_024;
const TAPS_A_PACKET = 3;
const MICROSECONDS = 1_000_000;

/** Users are spread unevenly over their home parts, and none should have to try a second part. */
const SPARE = 1.2;

interface Rig {
  readonly pids: readonly number[];
  readonly dispenser: DispenserParts;
  readonly empty: () => Promise<unknown>;
}

const together = (parts: number): string =>
  `${partsText(parts)}, ${USERS_PER_SCRIPT} users a script, all win`;
const atOnce = (parts: number): string => `${partsText(parts)}, ${number(IN_FLIGHT)} in flight, all win`;
const crowded = (parts: number): string =>
  `${partsText(parts)}, ${number(IN_FLIGHT)} in flight, ${TAPS_A_PACKET} users a packet`;
const partsText = (parts: number): string => (parts === 1 ? 'one part' : `${parts} parts`);

export const parts: Bench = {
  name: 'parts',
  question: 'What does a grab cost Redis when its rain is spread over four parts?',
  async run(stage) {
    const rig = await oneServer(stage);
    const grabs = stage.pick(200_000, 60_000, 3_000);
    const variants = [
      ...PARTS.map((count) => sameUsers(rig, count, grabs)),
      ...PARTS.map((count) => inFlight(rig, count, grabs)),
      ...PARTS.map((count) => crowd(rig, count, grabs)),
    ];
    return resultOf(await stage.interleave(variants, stage.pick(5, 3, 0)));
  },
};

async function oneServer(stage: Stage): Promise<Rig> {
  const engine = await stage.redis('off');
  const redis = await stage.client(engine);
  const dispenser = new DispenserParts(new OwnRedis(redis, SHARDS));
  return { pids: [engine.pid], dispenser, empty: () => redis.flushall('SYNC') };
}

function sameUsers(rig: Rig, count: number, grabs: number): Variant {
  const { keys, reservations } = rig.dispenser;
  const run = async () => {
    const homes = Array.from({ length: count }, (): string[] => []);
    for (let i = 0; i < grabs; i++) homes[homeOf(ACTIVITY_ID, `user-${i}`, count)]!.push(`user-${i}`);
    await open(rig, count, grabs * SPARE);
    let won = 0;
    const draw = async (part: number, userIds: string[]) => {
      const shard = keys.placeOfPart(ACTIVITY_ID, part).shard;
      const outcomes =
        count === 1
          ? await reservations.draw(shard, [{ activityId: ACTIVITY_ID, userIds }])
          : (
              await reservations.drawFromParts(shard, [{ activityId: ACTIVITY_ID, parts: count, userIds }])
            )[0]!.outcomes;
      won += outcomes.filter(({ kind }) => kind === 'won').length;
    };
    const drawAll = async (userIds: readonly string[], part: number) => {
      for (let start = 0; start < userIds.length; start += USERS_PER_SCRIPT)
        await draw(part, userIds.slice(start, start + USERS_PER_SCRIPT));
    };
    const { cpu, seconds } = await clocked(rig.pids, () => Promise.all(homes.map(drawAll)));
    if (won !== grabs) throw new Error(`${won} of ${grabs} have won.`);
    return { redisUs: (cpu / grabs) * MICROSECONDS, perSecond: grabs / seconds };
  };
  return { name: together(count), run };
}

function inFlight(rig: Rig, count: number, grabs: number): Variant {
  const run = async () => {
    await open(rig, count, grabs * SPARE);
    const { sample, won } = await rush(rig, grabs);
    if (won !== grabs) throw new Error(`${won} of ${grabs} have won.`);
    return sample;
  };
  return { name: atOnce(count), run };
}

/**
 * Draws until long after the last packet. No packet comes back here, so a user who wins after another was
 * answered "sold-out" shows that the answer was false.
 */
function crowd(rig: Rig, count: number, grabs: number): Variant {
  const run = async () => {
    const packets = Math.floor(grabs / TAPS_A_PACKET);
    await open(rig, count, packets);
    const { sample, won } = await rush(rig, grabs);
    if (won !== packets) throw new Error(`${won} of ${packets} packets were won.`);
    return sample;
  };
  return { name: crowded(count), run };
}

async function open({ dispenser, empty }: Rig, count: number, packets: number): Promise<void> {
  await empty();
  await openRain(dispenser, ACTIVITY_ID, { packets: Math.ceil(packets), parts: count });
}

async function rush({ pids, dispenser }: Rig, grabs: number): Promise<{ sample: Sample; won: number }> {
  const reservations = new Reservations(dispenser.own);
  const draws = drawsOf(dispenser, reservations);
  const heard = { won: 0, late: 0, refused: 0, soldOutAtMs: Infinity };
  let next = 0;
  const tap = async () => {
    const begunAtMs = performance.now();
    const user = `user-${next++}`;
    const drawing = draws.draw({ activityId: ACTIVITY_ID, userId: user, hold: false });
    const kind = await drawing.then(({ outcome }) => outcome.kind).catch(() => 'refused');
    if (kind === 'refused') heard.refused += 1;
    if (kind === 'sold-out') heard.soldOutAtMs = Math.min(heard.soldOutAtMs, performance.now());
    if (kind === 'won') heard.won += 1;
    if (kind === 'won' && begunAtMs > heard.soldOutAtMs) heard.late += 1;
  };
  const client = async () => {
    while (next < grabs) await tap();
  };
  const clients = () => Promise.all(Array.from({ length: IN_FLIGHT }, client));
  const { cpu, seconds } = await clocked(pids, clients);
  const { won, late, refused } = heard;
  const sample = { redisUs: (cpu / grabs) * MICROSECONDS, perSecond: grabs / seconds, late, refused };
  return { sample, won };
}

function drawsOf({ standings }: DispenserParts, reservations: Reservations): DrawService {
  // This bench never asks how far Redis can be trusted.
  const trust = {} as RedisTrust;
  const lengths = new PartLengths(standings);
  const draws = new DrawService(reservations, standings, trust, new Metrics());
  new PartDraws(reservations, lengths, trust, draws);
  return draws;
}

function resultOf(figures: Figures): BenchResult {
  const rowOf = (name: string, base: string) => {
    const own = figures[name]!;
    const ratio = medianRatio(own.redisUs!, figures[base]!.redisUs!);
    const tail = ['late', 'refused'].map((figure) => (own[figure] ? number(median(own[figure])) : ''));
    return [name, spread(own.redisUs!), number(ratio), spread(own.perSecond!), ...tail];
  };
  const rowsOf = (nameOf: (count: number) => string) => PARTS.map((count) => rowOf(nameOf(count), nameOf(1)));
  const rows = [...rowsOf(together), ...rowsOf(atOnce), ...rowsOf(crowded)];
  return {
    tables: [
      {
        title: 'One rain, from one process, append-only off',
        heading: ['', 'Redis CPU µs a grab', '× one part', 'grabs/s', 'false “sold out”', '503'],
        rows,
        remark:
          'All parts lie on the same server: this is what dealing costs, and not what more servers gain.\nNothing comes back to a list, so a win after another user has heard “sold out” shows that this was false.',
      },
    ],
    targets: [
      atMost('Redis per grab, 4 parts ÷ one, same users a script', 1.2, ' ×', costOf(figures, together)),
      atMost(
        `Redis per grab, 4 parts ÷ one, ${number(IN_FLIGHT)} in flight`,
        1.5,
        ' ×',
        costOf(figures, atOnce),
      ),
      atMost('false “sold out”', 0, '', Math.max(...figures[crowded(4)]!.late!)),
    ],
  };
}

const costOf = (figures: Figures, nameOf: (parts: number) => string): number =>
  medianRatio(figures[nameOf(4)]!.redisUs!, figures[nameOf(1)]!.redisUs!);
