import type { FencedScript, OwnRedis } from './own-redis';
import { type HeldPacket, type Packet, parsePacket } from './packet';
import type { Place, RedisKeys } from './redis-keys';
import type { ScriptDefinition } from './script-header';

export const contentScripts = {
  erase: { name: 'erase', keys: 'waiting key*', args: 'activityId*', returns: 'erased' },
} satisfies Record<string, ScriptDefinition>;

/** The script passes all keys to one command, and Lua can pass on only a few thousand. */
const ERASED_AT_ONCE = 500;

export class RainContents {
  private readonly keys: RedisKeys;
  private readonly eraseScript: FencedScript;

  constructor(private readonly own: OwnRedis) {
    this.keys = own.keys;
    this.eraseScript = own.fenced(contentScripts.erase);
  }

  /** Yields every place that holds anything during the whole scan, page by page; some twice. */
  async *places(shards: readonly number[] = this.keys.shards): AsyncGenerator<Place[]> {
    const wanted = new Set(shards);
    for await (const keys of this.keysOnServersOf(shards)) {
      const places = keys.flatMap((key) => this.keys.placeNamedBy(key) ?? []);
      const known = new Map(places.map((place) => [`${place.shard}/${place.id}`, place]));
      yield [...known.values()].filter(({ shard }) => wanted.has(shard));
    }
  }

  private async *keysOnServersOf(shards: readonly number[]): AsyncGenerator<string[]> {
    const { servers } = this.own;
    for (const key of servers.oneOfEach(shards.map((shard) => this.keys.installation(shard))))
      yield* servers.scan(key, this.keys.ofShards());
  }

  /** Yields every holder, page by page; some twice, if the hash grows meanwhile. */
  async *holders(place: Place): AsyncGenerator<{ userId: string; packet: HeldPacket }[]> {
    const { claims } = this.keys.at(place);
    let cursor = '0';
    do {
      const [page] = await this.own.read(place.shard, (reading) =>
        reading.hscan(claims, cursor, 'COUNT', 1000),
      );
      const [next, fields] = page as [string, string[]];
      cursor = next;
      yield pairs(fields).map(([userId, packet]) => ({ userId, packet: parsePacket(packet) }));
    } while (cursor !== '0');
  }

  async packetsPage(place: Place, start: number, count: number): Promise<Packet[]> {
    const { packets } = this.keys.at(place);
    return (await this.own.redis.lrange(packets, start, start + count - 1)).map(parsePacket);
  }

  /** Returns, for each user, the parts to which a place has sent them on, in order. */
  async ways(place: Place, userIds: readonly string[]): Promise<number[][]> {
    const { sentOn } = this.keys.at(place);
    const [notes] = await this.own.read(place.shard, (reading) => reading.hmget(sentOn, ...userIds));
    return (notes as (string | null)[]).map((note) => note?.split(' ').map(Number) ?? []);
  }

  /** Returns the keys that would expire: only the gate should. */
  async expiringKeys(place: Place): Promise<string[]> {
    const { state, packets, claims, sentOn } = this.keys.at(place);
    const keys = [state, packets, claims, sentOn];
    const ttls = await Promise.all(keys.map((key) => this.own.redis.pttl(key)));
    return keys.filter((_, i) => ttls[i]! >= 0);
  }

  /** Makes Redis forget the activity here, so that it is loaded again. Until then no user can draw. */
  async forget(place: Place): Promise<void> {
    const { gate, state } = this.keys.at(place);
    await this.eraseScript(place.shard, [this.keys.waiting(place.shard), state, gate], []);
  }

  /** Removes everything from these places. Needs no memory. */
  async remove(places: readonly Place[]): Promise<void> {
    for (const [shard, ids] of byShard(places))
      for (let start = 0; start < ids.length; start += ERASED_AT_ONCE)
        await this.eraseAll(shard, ids.slice(start, start + ERASED_AT_ONCE));
  }

  /**
   * Removes everything in all shards, whatever their number was. No program may use them in the meantime.
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
    const keys = activityIds.flatMap((id) => Object.values<string>({ ...this.keys.inShard(id, shard) }));
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
