import type { FencedScript, OwnRedis } from './own-redis';
import { type HeldPacket, type Packet, parsePacket } from './packet';
import type { Place, RedisKeys } from './redis-keys';
import type { ScriptDefinition } from './script-header';

export const contentScripts = {
  erase: {
    name: 'erase',
    keys: 'waiting key*',
    args: 'activityId*',
    returns: 'erased',
  },
} satisfies Record<string, ScriptDefinition>;

/** A script passes all their keys to one command, and Lua can pass on only a few thousand. */
const ERASED_AT_ONCE = 500;

/** Which activities Redis holds, and what of them; and removes it. */
export class RainContents {
  private readonly keys: RedisKeys;
  private readonly eraseScript: FencedScript;

  constructor(private readonly own: OwnRedis) {
    this.keys = own.keys;
    this.eraseScript = own.fenced(contentScripts.erase);
  }

  /**
   * Every activity of which these shards hold anything from the start of the scan to its end, page by page, with its shard; some
   * of them twice.
   */
  async *activities(shards: readonly number[] = this.keys.shards): AsyncGenerator<Place[]> {
    const wanted = new Set(shards);
    for await (const keys of this.keysOnServersOf(shards)) {
      const places = keys.flatMap((key) => this.keys.placeOf(key) ?? []);
      const known = new Map(places.map((place) => [`${place.shard}/${place.id}`, place]));
      yield [...known.values()].filter(({ shard }) => wanted.has(shard));
    }
  }

  private async *keysOnServersOf(shards: readonly number[]): AsyncGenerator<string[]> {
    const { servers } = this.own;
    for (const key of servers.oneOfEach(shards.map((shard) => this.keys.installation(shard))))
      yield* servers.scan(key, this.keys.ofShards());
  }

  /** Every user who holds a packet, page by page. A user may appear twice when the hash grows meanwhile. */
  async *holders(activityId: string, part = 0): AsyncGenerator<{ userId: string; packet: HeldPacket }[]> {
    const { claims } = this.keys.activity(activityId, part);
    let cursor = '0';
    do {
      const [page] = await this.own.read(this.keys.shardOf(activityId, part), (reading) =>
        reading.hscan(claims, cursor, 'COUNT', 1000),
      );
      const [next, fields] = page as [string, string[]];
      cursor = next;
      yield pairs(fields).map(([userId, packet]) => ({ userId, packet: parsePacket(packet) }));
    } while (cursor !== '0');
  }

  /** One page of the packets that nobody holds. */
  async packetsPage(activityId: string, start: number, count: number, part = 0): Promise<Packet[]> {
    const { packets } = this.keys.activity(activityId, part);
    return (await this.own.redis.lrange(packets, start, start + count - 1)).map(parsePacket);
  }

  /** To which parts one of them has sent each of these users on, in their order. */
  async ways(activityId: string, part: number, userIds: readonly string[]): Promise<number[][]> {
    const shard = this.keys.shardOf(activityId, part);
    const [notes] = await this.own.read(shard, (reading) =>
      reading.hmget(this.keys.away(activityId, shard), ...userIds),
    );
    return (notes as (string | null)[]).map((note) => note?.split(' ').map(Number) ?? []);
  }

  /** The keys of an activity that would expire: only the gate should. */
  async expiringKeys(activityId: string, part = 0): Promise<string[]> {
    const { state, packets, claims } = this.keys.activity(activityId, part);
    const keys = [state, packets, claims, this.keys.away(activityId, this.keys.shardOf(activityId, part))];
    const ttls = await Promise.all(keys.map((key) => this.own.redis.pttl(key)));
    return keys.filter((_, i) => ttls[i]! >= 0);
  }

  /** Makes Redis forget an activity, so that it is loaded again from scratch. Until then nobody can draw. */
  async forget(activityId: string, part = 0): Promise<void> {
    const { gate, state } = this.keys.activity(activityId, part);
    const shard = this.keys.shardOf(activityId, part);
    await this.eraseScript(shard, [this.keys.waiting(shard), state, gate], []);
  }

  /** Removes everything of these activities from these shards. Needs no memory. */
  async remove(places: readonly Place[]): Promise<void> {
    for (const [shard, ids] of byShard(places))
      for (let start = 0; start < ids.length; start += ERASED_AT_ONCE)
        await this.eraseAll(shard, ids.slice(start, start + ERASED_AT_ONCE));
  }

  /**
   * Removes everything of all shards, of this number of them and of any other. Only while nobody uses them.
   *
   * @throws ForeignRedis
   */
  async eraseShards(): Promise<void> {
    const { servers } = this.own;
    for (const key of servers.keys)
      for await (const keys of servers.scan(key, this.keys.ofShards())) await this.eraseByTag(keys);
  }

  private async eraseByTag(keys: readonly string[]): Promise<void> {
    for (const tag of new Set(keys.flatMap((key) => this.keys.tagOf(key) ?? []))) {
      this.own.requireOwn(await this.own.redis.get(this.keys.installationIn(tag)));
      await this.own.redis.unlink(keys.filter((key) => this.keys.tagOf(key) === tag));
    }
  }

  private async eraseAll(shard: number, activityIds: readonly string[]): Promise<void> {
    const keys = activityIds.flatMap((id) => this.keys.allInShard(id, shard));
    await this.eraseScript(shard, [this.keys.waiting(shard), ...keys], activityIds);
  }
}

function byShard(places: readonly Place[]): Map<number, string[]> {
  const shards = new Map<number, string[]>();
  for (const { id, shard } of places) {
    const ids = shards.get(shard);
    if (ids) ids.push(id);
    else shards.set(shard, [id]);
  }
  return shards;
}

function pairs(list: readonly string[]): [string, string][] {
  return Array.from({ length: list.length / 2 }, (_, i) => [list[2 * i]!, list[2 * i + 1]!]);
}
