import type { Redis } from 'ioredis';
import type { Engine } from '../../../src/dev/engines';
import { type DrawOutcome, OwnRedis } from '../../../libs/redis-scripts';
import { DispenserParts } from '../../harness/dispenser-parts';
import { DrawCalls } from '../../../src/modules/grab/draw-calls';
import { Metrics } from '../../../src/platform/telemetry';
import { clocked, type Variant } from '../measure';
import { openRain, publishedScript } from './scripts';

const IN_FLIGHT = 200;
const SHARDS = 16;
const ACTIVITY_ID = '1';
const MICROSECONDS = 1_000_000;

export const PUBLISHED_BY_CLIENT = 'published, one call a grab';
export const ONE_BY_CLIENT = 'ours, one call a grab';
export const TICK_BY_CLIENT = 'ours, one call a tick';

/** A grab as the API makes it; returns true if it has won. */
interface Way {
  readonly name: string;
  open(): Promise<unknown>;
  grab(userId: string): Promise<boolean>;
}

/** One connection as the API uses it, 200 grabs in flight; every user wins. */
export function clientVariants(engine: Engine, redis: Redis, grabs: number): Variant[] {
  return waysOf(redis, grabs).map((way) => ({
    name: way.name,
    async run() {
      await redis.flushall('SYNC');
      await way.open();
      const callsBefore = await calls(redis);
      const nodeBefore = process.cpuUsage();
      const { result: won, cpu, seconds } = await clocked([engine.pid], () => rush(way, grabs));
      const { user, system } = process.cpuUsage(nodeBefore);
      if (won !== grabs) throw new Error(`${way.name}: ${won} of ${grabs} have won.`);
      return {
        grabsPerSecond: grabs / seconds,
        nodeCpuPerGrabUs: (user + system) / grabs,
        redisCpuPerGrabUs: (cpu / grabs) * MICROSECONDS,
        grabsPerCall: grabs / ((await calls(redis)) - callsBefore),
      };
    },
  }));
}

function waysOf(redis: Redis, grabs: number): Way[] {
  const published = publishedScript(redis);
  const parts = new DispenserParts(new OwnRedis(redis, SHARDS));
  const call = new DrawCalls(new Metrics()).shared<{ userId: string }, DrawOutcome>(
    parts.keys.shards,
    () => ACTIVITY_ID,
    (shard, [group]) =>
      parts.reservations.draw(shard, [{ activityId: ACTIVITY_ID, userIds: group!.userIds }]),
  );
  const shard = parts.keys.shardOf(ACTIVITY_ID);
  const open = () => openRain(parts, ACTIVITY_ID, grabs);
  const drawAlone = async (userId: string) => {
    const [outcome] = await parts.reservations.draw(shard, [{ activityId: ACTIVITY_ID, userIds: [userId] }]);
    return outcome?.kind === 'won';
  };
  const drawTogether = async (userId: string) => (await call(shard, { userId })).kind === 'won';
  return [
    { name: PUBLISHED_BY_CLIENT, open: () => published.fill(grabs, 0), grab: published.grab },
    { name: ONE_BY_CLIENT, open, grab: drawAlone },
    { name: TICK_BY_CLIENT, open, grab: drawTogether },
  ];
}

async function rush(way: Way, grabs: number): Promise<number> {
  let next = 0;
  let won = 0;
  const client = async () => {
    while (next < grabs) if (await way.grab(`user-${next++}`)) won++;
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, client));
  return won;
}

async function calls(redis: Redis): Promise<number> {
  const stats = await redis.info('commandstats');
  return Number(/^cmdstat_evalsha:calls=(\d+)/m.exec(stats)?.[1] ?? 0);
}
