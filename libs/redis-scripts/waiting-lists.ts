import { readEntry, type Reservation } from './journal-entry';
import type { OwnRedis } from './own-redis';
import type { RedisKeys } from './redis-keys';
import type { ScriptDefinition } from './script-header';

export const waitingScripts = {
  join: {
    name: 'join-waitlist',
    keys: 'state gate packets claims waitlist waiting',
    args: 'activityId userId lengthMax',
    returns: 'outcome position length',
  },
  assign: {
    name: 'assign-waitlist',
    keys: 'journal state packets claims waitlist waiting',
    args: 'activityId countMax',
    returns: 'journalEntryId about assigned',
  },
} satisfies Record<string, ScriptDefinition>;

/** What became of the request to wait for a packet; see `lua/join-waitlist.lua`. */
export type JoinOutcome =
  | { readonly kind: 'not-loaded' | 'not-open' | 'closed' | 'over' | 'already' | 'not-sold-out' | 'full' }
  | ({ readonly kind: 'waiting' } & WaitingPlace);

/** A user's place among those who wait, from 1, and how many wait. */
export interface WaitingPlace {
  readonly position: number;
  readonly length: number;
}

/** Users who wait for a packet of an activity that is sold out. */
export class WaitingLists {
  readonly keys: RedisKeys;
  private readonly scripts;

  constructor(private readonly own: OwnRedis) {
    this.keys = own.keys;
    this.scripts = own.fencedAll(waitingScripts);
  }

  /** Lets at most `lengthMax` users wait. */
  async join(activityId: string, userId: string, lengthMax = Number.MAX_SAFE_INTEGER): Promise<JoinOutcome> {
    const { state, gate, packets, claims, waitlist } = this.keys.activity(activityId);
    const shard = this.keys.shardOf(activityId);
    const keys = [state, gate, packets, claims, waitlist, this.keys.waiting(shard)];
    const reply = await this.scripts.join(shard, keys, [activityId, userId, lengthMax]);
    const [kind, position, length] = reply as [JoinOutcome['kind'], number, number];
    return kind === 'waiting' ? { kind, position, length } : { kind };
  }

  /** The place of a user who waits; undefined when the user does not wait. */
  async place(activityId: string, userId: string): Promise<WaitingPlace | undefined> {
    const { waitlist } = this.keys.activity(activityId);
    const replies = await this.own.read(this.keys.shardOf(activityId), (reading) =>
      reading.zrank(waitlist, userId).zcard(waitlist),
    );
    const [rank, length] = replies as [number | null, number];
    return rank === null ? undefined : { position: rank + 1, length };
  }

  /** Activities of a shard for whose packets somebody waits. */
  activities(shard: number): Promise<string[]> {
    return this.own.redis.smembers(this.keys.waiting(shard));
  }

  /** Gives free packets to those who have waited longest: at most `countMax`, in their order. */
  async assign(activityId: string, countMax: number): Promise<Reservation[]> {
    const shard = this.keys.shardOf(activityId);
    const { state, packets, claims, waitlist } = this.keys.activity(activityId);
    const keys = [this.keys.journal(shard), state, packets, claims, waitlist, this.keys.waiting(shard)];
    const reply = await this.scripts.assign(shard, keys, [activityId, countMax]);
    const [id, ...fields] = reply as [string, string, string];
    return id === '' ? [] : [...readEntry(shard, id, fields, this.keys).reservations];
  }
}
