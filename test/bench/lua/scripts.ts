import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Redis } from 'ioredis';
import { OwnRedis, type Packet, RedisKeys } from '../../../libs/redis-scripts';
import { DispenserParts } from '../../harness/dispenser-parts';
import { sourceOf, textOf } from '../../../libs/redis-scripts/script';
import { reservationScripts } from '../../../libs/redis-scripts/reservations';
import { openRain, packetsFrom, pages } from '../packets';

const ACTIVITY_ID = '1';
const SHARDS = 16;
const PACKETS_PER_CALL = 2_000;

const PUBLISHED = join(process.cwd(), 'test', 'bench', 'lua', 'published.lua');

export interface PacketCounts {
  readonly left: number;
  readonly won: number;
  /** Calls that left an entry in the journal, if there is one. */
  readonly journaled?: number;
}

/** One way to hand out packets, and the rain that it needs. */
export interface GrabScript {
  /** Fills an empty server with an open rain. */
  fill(packets: number): Promise<void>;
  /** The command of one call for these users, as `redis-benchmark` sends it. */
  command(userIds: readonly string[]): Promise<string[]>;
  count(): Promise<PacketCounts>;
}

export function publishedScript(redis: Redis): GrabScript {
  const [packets, claimed, users] = ['packets', 'claimed', 'users'];
  const lua = readFileSync(PUBLISHED, 'utf8');
  return {
    async fill(count) {
      await redis.flushall('SYNC');
      for (const page of pages(packetsFrom(1, count), PACKETS_PER_CALL))
        await redis.lpush(packets, ...page.map(jsonOf));
    },
    async command(userIds) {
      return ['EVALSHA', await load(redis, lua), '3', packets, claimed, users, ...userIds];
    },
    async count() {
      const [left, won, known] = await Promise.all([
        redis.llen(packets),
        redis.llen(claimed),
        redis.hlen(users),
      ]);
      if (won !== known) throw new Error(`The published script has ${won} winners and knows ${known} users.`);
      return { left, won };
    },
  };
}

export function ourScript(redis: Redis): GrabScript {
  const parts = new DispenserParts(new OwnRedis(redis, SHARDS));
  const keys = new RedisKeys(SHARDS);
  const shard = keys.shardOf(ACTIVITY_ID);
  const { gate, state, packets, claims, waitlist } = keys.activity(ACTIVITY_ID);
  return {
    async fill(count) {
      await redis.flushall('SYNC');
      await openRain(parts, ACTIVITY_ID, { packets: count });
    },
    async command(userIds) {
      const sha = await load(redis, textOf(reservationScripts.grab, sourceOf(reservationScripts.grab)));
      const args = [ACTIVITY_ID, String(userIds.length), ...userIds, ''];
      return ['EVALSHA', sha, '6', keys.journal(shard), gate, state, packets, claims, waitlist, ...args];
    },
    async count() {
      const { packetsLeft, held } = await parts.standings.readStanding(parts.keys.placeOf(ACTIVITY_ID));
      return { left: packetsLeft, won: held, journaled: (await parts.journals.standing(shard)).entries };
    },
  };
}

const load = async (redis: Redis, lua: string): Promise<string> => String(await redis.script('LOAD', lua));

const jsonOf = ({ no, amountMinor }: Packet): string =>
  JSON.stringify({ id: no, amount: Number(amountMinor) });
