import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Redis } from 'ioredis';
import { OwnRedis, type Packet, RedisKeys } from '../../../libs/redis-scripts';
import { DispenserParts } from '../../harness/dispenser-parts';
import { sourceOf, textOf } from '../../../libs/redis-scripts/script';
import { reservationScripts } from '../../../libs/redis-scripts/reservations';
import { RANDOM_DIGITS } from './redis-benchmark';
import { openRain, packetsFrom, pages } from '../packets';

const ACTIVITY_ID = '1';
const SHARDS = 16;
const PACKETS_PER_CALL = 2_000;
const USERS_PER_CALL = 250;

const PUBLISHED = join(process.cwd(), 'test', 'bench', 'lua', 'published.lua');

export interface PacketCounts {
  readonly left: number;
  readonly won: number;
  /** Calls that left an entry in the journal, if there is one. */
  readonly journaled?: number;
}

/** One way to hand out packets, and the rain that it needs. */
export interface GrabScript {
  /**
   * Fills an empty server with an open rain of `packets` packets, of which the first `holders`
   * users of {@link holder} hold one.
   */
  fill(packets: number, holders: number): Promise<void>;
  /** The command of one call for these users, as `redis-benchmark` sends it. */
  command(userIds: readonly string[]): Promise<string[]>;
  /** @throws Error if the winners and the records of them disagree */
  count(): Promise<PacketCounts>;
}

/** An id of 13 characters, like all ids in this bench. */
export const holder = (i: number): string => `u${String(i).padStart(RANDOM_DIGITS, '0')}`;

export function publishedScript(redis: Redis): GrabScript {
  const [packets, claimed, users] = ['packets', 'claimed', 'users'];
  const lua = readFileSync(PUBLISHED, 'utf8');
  redis.defineCommand('published', { numberOfKeys: 3, lua });
  const commands = redis as unknown as { published(...args: string[]): Promise<string | null> };
  const grab = (userId: string) => commands.published(packets, claimed, users, userId);
  return {
    async fill(count, holders) {
      await redis.flushall('SYNC');
      for (const page of pages(packetsFrom(1, count), PACKETS_PER_CALL))
        await redis.lpush(packets, ...page.map(jsonOf));
      for (const page of pages(holdersUpTo(holders), USERS_PER_CALL)) await Promise.all(page.map(grab));
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
    async fill(count, holders) {
      await redis.flushall('SYNC');
      await openRain(parts, ACTIVITY_ID, { packets: count });
      for (const userIds of pages(holdersUpTo(holders), USERS_PER_CALL))
        await drawAndAcknowledge(parts, userIds);
    },
    async command(userIds) {
      const sha = await load(redis, textOf(reservationScripts.grab, sourceOf(reservationScripts.grab)));
      const args = [ACTIVITY_ID, String(userIds.length), ...userIds, ''];
      return ['EVALSHA', sha, '6', keys.journal(shard), gate, state, packets, claims, waitlist, ...args];
    },
    async count() {
      const { packetsLeft, held } = await parts.standings.of(parts.keys.placeOf(ACTIVITY_ID));
      return { left: packetsLeft, won: held, journaled: (await parts.journals.standing(shard)).entries };
    },
  };
}

/** Makes earlier winners, who are confirmed and no longer in the journal. */
async function drawAndAcknowledge(parts: DispenserParts, userIds: string[]): Promise<void> {
  const shard = parts.keys.shardOf(ACTIVITY_ID);
  const outcomes = await parts.reservations.draw(shard, [{ activityId: ACTIVITY_ID, userIds }]);
  const won = outcomes.flatMap((outcome, i) =>
    outcome.kind === 'won' ? [{ ...outcome, activityId: ACTIVITY_ID, userId: userIds[i]! }] : [],
  );
  if (won.length !== userIds.length) throw new Error('Not everybody who should hold a packet won one.');
  await parts.reservations.acknowledge(shard, won, [won[0]!.entry.id]);
}

const load = async (redis: Redis, lua: string): Promise<string> => String(await redis.script('LOAD', lua));

const holdersUpTo = (count: number): string[] => Array.from({ length: count }, (_, i) => holder(i));

const jsonOf = ({ no, amountMinor }: Packet): string =>
  JSON.stringify({ id: no, amount: Number(amountMinor) });
