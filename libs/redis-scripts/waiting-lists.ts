import { answersOf } from './answers';
import { readEntry, type Reservation } from './journal-entry';
import type { OwnRedis } from './own-redis';
import { type HeldPacket, parsePacket } from './packet';
import type { Place, RedisKeys } from './redis-keys';
import type { ScriptDefinition } from './script-header';

export const waitingScripts = {
  join: {
    name: 'join-waitlist',
    keys: 'state gate packets claims waitlist waiting',
    args: 'activityId userId lengthMax parts hold',
    returns: 'outcome position length',
  },
  assign: {
    name: 'assign-waitlist',
    keys: 'journal state packets claims waitlist waiting',
    args: 'activityId countMax',
    returns: 'journalEntryId field*',
  },
  leave: { name: 'leave-waitlist', keys: 'waitlist', args: 'userId*', returns: 'left' },
} satisfies Record<string, ScriptDefinition>;

/** See `lua/join-waitlist.lua`. */
export type JoinOutcome =
  | { readonly kind: 'not-loaded' | 'not-open' | 'closed' | 'over' | 'already' | 'not-sold-out' | 'full' }
  /** The activity is dealt over this many parts, and the caller did not know it. */
  | { readonly kind: 'parts'; readonly parts: number }
  | ({ readonly kind: 'waiting' } & WaitingPlace);

/** `position` counts from 1. */
export interface WaitingPlace {
  readonly position: number;
  readonly length: number;
}

export interface WaitingUser {
  readonly userId: string;
  /** The moment of joining, in microseconds. */
  readonly waitedSince: string;
}

/** Users who wait for a packet of an activity that is sold out. */
export class WaitingLists {
  readonly keys: RedisKeys;
  private readonly scripts;

  constructor(private readonly own: OwnRedis) {
    this.keys = own.keys;
    this.scripts = own.fencedAll(waitingScripts);
  }

  /**
   * `lengthMax` bounds the list. The caller knows whether the activity has several parts. With
   * `hold`, a packet that the user is given is to be held.
   */
  async join(
    activityId: string,
    userId: string,
    lengthMax = Number.MAX_SAFE_INTEGER,
    parts = 1,
    hold = false,
  ): Promise<JoinOutcome> {
    const { state, gate, packets, claims, waitlist } = this.keys.activity(activityId);
    const shard = this.keys.shardOf(activityId);
    const keys = [state, gate, packets, claims, waitlist, this.keys.waiting(shard)];
    const reply = await this.scripts.join(shard, keys, [activityId, userId, lengthMax, parts, hold ? 1 : 0]);
    const [kind, position, length] = reply as [JoinOutcome['kind'], number, number];
    if (kind === 'parts') return { kind, parts: position };
    return kind === 'waiting' ? { kind, position, length } : { kind };
  }

  /** Undefined when the user does not wait. */
  async place(activityId: string, userId: string): Promise<WaitingPlace | undefined> {
    const { waitlist } = this.keys.activity(activityId);
    const replies = await this.own.read(this.keys.shardOf(activityId), (reading) =>
      reading.zrank(waitlist, userId).zcard(waitlist),
    );
    const [rank, length] = replies as [number | null, number];
    return rank === null ? undefined : { position: rank + 1, length };
  }

  /** `from` is 1 for the first. */
  async page(activityId: string, from: number, count: number): Promise<{ users: string[]; length: number }> {
    const { waitlist } = this.keys.activity(activityId);
    const replies = await this.own.read(this.keys.shardOf(activityId), (reading) =>
      reading.zrange(waitlist, from - 1, from + count - 2).zcard(waitlist),
    );
    const [users, length] = replies as [string[], number];
    return { users, length };
  }

  activities(shard: number): Promise<string[]> {
    const waiting = this.keys.waiting(shard);
    return this.own.repairing(shard, [waiting], () => this.own.redis.smembers(waiting));
  }

  /** Gives free packets to those who have waited longest: at most `countMax`, in their order. */
  async assign(activityId: string, countMax: number): Promise<Reservation[]> {
    const shard = this.keys.shardOf(activityId);
    const { state, packets, claims, waitlist } = this.keys.activity(activityId);
    const keys = [this.keys.journal(shard), state, packets, claims, waitlist, this.keys.waiting(shard)];
    const reply = await this.scripts.assign(shard, keys, [activityId, countMax]);
    const [id, ...fields] = reply as [string, ...string[]];
    return id === '' ? [] : [...readEntry(shard, id, fields, this.keys).reservations];
  }

  /** Returns the users who have waited longest, and the number of parts of their activity. */
  async first(activityId: string, countMax: number): Promise<{ users: WaitingUser[]; parts: number }> {
    const { state, waitlist } = this.keys.activity(activityId);
    const replies = await this.own.read(this.keys.shardOf(activityId), (reading) =>
      reading.zrange(waitlist, 0, countMax - 1, 'WITHSCORES').hget(state, 'parts'),
    );
    const [list, parts] = replies as [string[], string | null];
    const users = list.flatMap((userId, i) => (i % 2 === 0 ? [{ userId, waitedSince: list[i + 1]! }] : []));
    return { users, parts: Number(parts ?? 1) };
  }

  async leave(activityId: string, userIds: readonly string[]): Promise<void> {
    const { waitlist } = this.keys.activity(activityId);
    await this.scripts.leave(this.keys.shardOf(activityId), [waitlist], [...userIds]);
  }

  /** The packets that these users hold, as far as places answer. */
  async held(places: readonly Place[], userIds: readonly string[]): Promise<Map<string, HeldPacket>> {
    const answers = await answersOf(
      places.map((place) =>
        this.own.read(place.shard, (reading) => reading.hmget(this.keys.at(place).claims, ...userIds)),
      ),
    );
    const held = new Map<string, HeldPacket>();
    for (const [packets] of answers as [(string | null)[]][])
      for (const [i, packet] of packets.entries())
        if (packet !== null) held.set(userIds[i]!, parsePacket(packet));
    return held;
  }

  /** Asks only Redis, which may have forgotten. */
  async holds(places: readonly Place[], userId: string): Promise<boolean> {
    const held = await Promise.all(
      places.map((place) =>
        this.own.read(place.shard, (reading) => reading.hexists(this.keys.at(place).claims, userId)),
      ),
    );
    return held.some(([count]) => count === 1);
  }

  async length(activityId: string): Promise<number> {
    const { waitlist } = this.keys.activity(activityId);
    const [length] = await this.own.read(this.keys.shardOf(activityId), (reading) => reading.zcard(waitlist));
    return length as number;
  }
}
