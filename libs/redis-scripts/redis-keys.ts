import { slotsOfShards } from './shard-slots';
import { nameInSlot } from './slot-names';

/** Keys with the hash tag of the shard. */
export interface ActivityKeys {
  readonly gate: string;
  readonly state: string;
  readonly packets: string;
  readonly claims: string;
  readonly waitlist: string;
  /** Only activities with several places have these notes. */
  readonly sentOn: string;
}

/** A shard that holds an activity, or one part of it. {@link RedisKeys} makes places. */
export interface Place {
  readonly id: string;
  /** 0 if the shard holds the whole activity. */
  readonly part: number;
  readonly shard: number;
}

export interface Dealt {
  readonly id: string;
  readonly parts: number;
}

/** The prefix of every key and channel, except those of BullMQ. */
export const KEY_PREFIX = 'rp';

/** The key that tests whether anything can be written. */
export const PROBE_KEY = `${KEY_PREFIX}:{probe}`;

/** The key that tests writing, in a slot of a cluster. */
export const probeKey = (slot: number): string => `${KEY_PREFIX}:{${nameInSlot(slot, 'probe-')}}`;

/** Notes of older versions, for all shards together; see {@link RedisKeys.trust}. */
export const FORMER_SERVER_KEY = `${KEY_PREFIX}:{00}:trusted-server`;
export const FORMER_HISTORY_KEY = `${KEY_PREFIX}:{00}:history`;

/** The requests that a rate limit has admitted in a second. */
export const limitKey = (name: string, second: number): string => `${KEY_PREFIX}:{limit}:${name}:${second}`;

/** The last id that Postgres can give. Texts of its nineteen digits sort like numbers. */
const ID_MAX = '9223372036854775807';

/** Any number with this many digits is exact as a double. */
const EXACT_DIGITS = 15;

const DECIMAL = /^\d{1,19}$/;
const OF_ACTIVITY = new RegExp(
  String.raw`^${KEY_PREFIX}:(\{[^}]+\}):(\d{1,19}):(?:gate|state|packets|claims|waitlist|away)$`,
);

/** The types of keys that may be removed if they hold another type. */
const TYPES: ReadonlyMap<string, string> = new Map([
  ['gate', 'string'],
  ['state', 'hash'],
  ['packets', 'list'],
  ['claims', 'hash'],
  ['waitlist', 'zset'],
  ['away', 'hash'],
  ['journal', 'stream'],
  ['quarantine', 'stream'],
  ['waiting', 'set'],
  ['trust', 'hash'],
  ['calls', 'list'],
  ['lastCalls', 'hash'],
]);

/** The tags of shards, whatever their number is or was. */
const OF_SHARD = new RegExp(String.raw`^${KEY_PREFIX}:(\{\d{1,4}(?:-[a-z]{4})?\}):`);

/**
 * Every Redis key of the dispenser is made here and nowhere else.
 *
 * All keys of a shard share a hash tag, and so a cluster slot, so that a script may touch them together. On
 * one server the tag is the number of the shard, `{07}`. In a cluster four letters follow, `{7-qkzf}`, which
 * lead into its slot ({@link slotsOfShards}). The parts of an activity live in its own shard and in those
 * after it, each under the same names.
 *
 * Nothing that a client chooses is ever part of a key.
 */
export class RedisKeys {
  /** All shards, in ascending order. */
  readonly shards: readonly number[];
  private readonly tags: readonly string[];

  constructor(
    readonly shardCount: number,
    { inCluster = false } = {},
  ) {
    this.shards = Array.from({ length: shardCount }, (_, shard) => shard);
    const slots = inCluster ? slotsOfShards(shardCount) : [];
    this.tags = this.shards.map((shard) => `{${nameOf(shard, slots[shard])}}`);
  }

  /** The shard of an activity, or of its first part. */
  shardOf(activityId: string): number {
    if (!DECIMAL.test(activityId)) throw new TypeError('an activity id is a decimal string');
    // Every tap needs this several times, and a number is much quicker where it is exact.
    if (activityId.length <= EXACT_DIGITS) return Number(activityId) % this.shardCount;
    return Number(BigInt(activityId) % BigInt(this.shardCount));
  }

  /** The first part has the clock and the waiting list. */
  placeOf(activityId: string): Place {
    return this.placeOfPart(activityId, 0);
  }

  /** Places in the order of the parts. */
  placesOf({ id, parts }: Dealt): Place[] {
    return Array.from({ length: parts }, (_, part) => this.placeOfPart(id, part));
  }

  placeOfPart(activityId: string, part: number): Place {
    return { id: activityId, part, shard: (this.shardOf(activityId) + part) % this.shardCount };
  }

  /** The caller knows that the activity has enough parts. */
  placeIn(activityId: string, shard: number): Place {
    const part = (shard + this.shardCount - this.shardOf(activityId)) % this.shardCount;
    return { id: activityId, part, shard };
  }

  activity(activityId: string): ActivityKeys {
    return this.inShard(activityId, this.shardOf(activityId));
  }

  at({ id, shard }: Place): ActivityKeys {
    return this.inShard(id, shard);
  }

  inShard(activityId: string, shard: number): ActivityKeys {
    const stem = this.stem(activityId, shard);
    return {
      gate: `${stem}:gate`,
      state: `${stem}:state`,
      packets: `${stem}:packets`,
      claims: `${stem}:claims`,
      waitlist: `${stem}:waitlist`,
      sentOn: `${stem}:away`,
    };
  }

  /** Returns a pattern that all keys of shards match, and a few others. */
  ofShards(): string {
    return `${KEY_PREFIX}:{*}:*`;
  }

  /** Returns the tag of a shard's key, whatever the number of shards was; otherwise undefined. */
  tagOf(key: string): string | undefined {
    return OF_SHARD.exec(key)?.[1];
  }

  /** Call it only with keys of our shards. */
  shardOfKey(key: string): number {
    return this.tags.indexOf(this.tagOf(key)!);
  }

  installationIn(tag: string): string {
    return `${KEY_PREFIX}:${tag}:installation`;
  }

  /** Undefined for keys without an owner who would notice. */
  typeOf(key: string): string | undefined {
    return TYPES.get(key.slice(key.lastIndexOf(':') + 1));
  }

  /** Undefined if it is not among {@link ActivityKeys}, or has an id that Postgres would refuse. */
  placeNamedBy(key: string): Place | undefined {
    const [, tag, id] = OF_ACTIVITY.exec(key) ?? [];
    if (id === undefined || id.padStart(ID_MAX.length, '0') > ID_MAX) return undefined;
    const shard = this.tags.indexOf(tag!);
    return shard < 0 ? undefined : this.placeIn(id, shard);
  }

  journal(shard: number): string {
    return `${KEY_PREFIX}:${this.tag(shard)}:journal`;
  }

  /** Journal entries that could not be read. */
  quarantine(shard: number): string {
    return `${KEY_PREFIX}:${this.tag(shard)}:quarantine`;
  }

  waiting(shard: number): string {
    return `${KEY_PREFIX}:${this.tag(shard)}:waiting`;
  }

  /** The newest calls of payout channels. */
  calls(shard: number): string {
    return `${KEY_PREFIX}:${this.tag(shard)}:calls`;
  }

  /** The last call of each payout channel. */
  lastCalls(shard: number): string {
    return `${KEY_PREFIX}:${this.tag(shard)}:lastCalls`;
  }

  /** The numbers of taps. It expires by itself, and nothing relies on it. */
  taps(activityId: string): string {
    return `${KEY_PREFIX}:${this.tag(this.shardOf(activityId))}:taps:${activityId}`;
  }

  /**
   * The server that was last given all that Postgres knows about a shard, the history of Postgres
   * then, and how far it had come.
   */
  trust(shard: number): string {
    return `${KEY_PREFIX}:${this.tag(shard)}:trust`;
  }

  lease(shard: number, name: string): string {
    return `${KEY_PREFIX}:${this.tag(shard)}:lease:${name}`;
  }

  installation(shard: number): string {
    return this.installationIn(this.tag(shard));
  }

  private stem(activityId: string, shard: number): string {
    if (!DECIMAL.test(activityId)) throw new TypeError('an activity id is a decimal string');
    return `${KEY_PREFIX}:${this.tag(shard)}:${activityId}`;
  }

  private tag(shard: number): string {
    const tag = this.tags[shard];
    if (tag === undefined) throw new RangeError(`shard ${shard} of ${this.shardCount}`);
    return tag;
  }
}

const nameOf = (shard: number, slot: number | undefined): string =>
  slot === undefined ? String(shard).padStart(2, '0') : nameInSlot(slot, `${shard}-`);
