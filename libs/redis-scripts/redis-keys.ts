/** The Redis keys of one activity. All of them carry the hash tag of the activity's shard. */
export interface ActivityKeys {
  readonly gate: string;
  readonly state: string;
  readonly packets: string;
  readonly claims: string;
  readonly waitlist: string;
}

/** Every key and channel begins with it, but those of BullMQ. */
export const KEY_PREFIX = 'rp';

/** Written to see whether anything can be written. */
export const PROBE_KEY = `${KEY_PREFIX}:{probe}`;

/** Who does a task that only one process should do. */
export const leaseKey = (name: string): string => `${KEY_PREFIX}:{lease}:${name}`;

/** What a rate limit has admitted in a second. */
export const limitKey = (name: string, second: number): string => `${KEY_PREFIX}:{limit}:${name}:${second}`;

/** The last id that Postgres can give. As long as it has nineteen digits, text sorts as numbers do. */
const ID_MAX = '9223372036854775807';

const DECIMAL = /^\d{1,19}$/;
const OF_ACTIVITY = new RegExp(
  String.raw`^${KEY_PREFIX}:\{\d\d\}:(\d{1,19}):(?:gate|state|packets|claims|waitlist)$`,
);

/**
 * Every Redis key of the dispenser is made here and nowhere else.
 *
 * An activity lives in one of a fixed number of shards. All keys of a shard share the hash tag `{NN}`, hence one
 * cluster slot, so that a script may touch them together and the same layout runs on one node or on a cluster.
 * No user id, and nothing else that a client chooses, is ever part of a key.
 */
export class RedisKeys {
  /** All shards, in ascending order. */
  readonly shards: readonly number[];
  private readonly tags: readonly string[];

  constructor(readonly shardCount: number) {
    this.shards = Array.from({ length: shardCount }, (_, shard) => shard);
    this.tags = this.shards.map((shard) => `{${String(shard).padStart(2, '0')}}`);
  }

  shardOf(activityId: string): number {
    if (!DECIMAL.test(activityId)) throw new TypeError('an activity id is a decimal string');
    return Number(BigInt(activityId) % BigInt(this.shardCount));
  }

  activity(activityId: string): ActivityKeys {
    const stem = `${KEY_PREFIX}:${this.tag(this.shardOf(activityId))}:${activityId}`;
    return {
      gate: `${stem}:gate`,
      state: `${stem}:state`,
      packets: `${stem}:packets`,
      claims: `${stem}:claims`,
      waitlist: `${stem}:waitlist`,
    };
  }

  /** A pattern that all keys of activities match, and a few others. */
  ofActivities(): string {
    return `${KEY_PREFIX}:{??}:*:*`;
  }

  /**
   * The activity that a key belongs to; undefined when it is none of {@link activity}, or of an id that no activity can have
   * and Postgres would refuse.
   */
  activityOf(key: string): string | undefined {
    const id = OF_ACTIVITY.exec(key)?.[1];
    return id !== undefined && id.padStart(ID_MAX.length, '0') <= ID_MAX ? id : undefined;
  }

  journal(shard: number): string {
    return `${KEY_PREFIX}:${this.tag(shard)}:journal`;
  }

  /** Entries of a journal that nobody can read. */
  quarantine(shard: number): string {
    return `${KEY_PREFIX}:${this.tag(shard)}:quarantine`;
  }

  /** Activities of a shard for whose packets somebody waits. */
  waiting(shard: number): string {
    return `${KEY_PREFIX}:${this.tag(shard)}:waiting`;
  }

  /** Which server was last told everything that Postgres knows. */
  trustedServer(): string {
    return `${KEY_PREFIX}:${this.tag(0)}:trusted-server`;
  }

  /** The history of Postgres that the shards were told, and how far it had come. */
  history(): string {
    return `${KEY_PREFIX}:${this.tag(0)}:history`;
  }

  /** The installation that a shard belongs to. */
  installation(shard: number): string {
    return `${KEY_PREFIX}:${this.tag(shard)}:installation`;
  }

  private tag(shard: number): string {
    const tag = this.tags[shard];
    if (tag === undefined) throw new RangeError(`shard ${shard} of ${this.shardCount}`);
    return tag;
  }
}
