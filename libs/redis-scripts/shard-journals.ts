import { type JournalRecord, readEntry } from './journal-entry';
import type { FencedScript, OwnRedis } from './own-redis';
import type { RedisKeys } from './redis-keys';
import type { Script } from './script';
import type { ScriptDefinition } from './script-header';

export const journalScripts = {
  quarantine: { name: 'quarantine', keys: 'journal quarantine', args: 'flaw entryId', returns: 'moved' },
  standing: {
    name: 'journal-standing',
    keys: 'installation journal quarantine',
    args: 'none',
    returns: 'whose entries quarantined oldestId nowMs',
  },
  doubts: {
    name: 'journal-doubts',
    keys: 'installation journal packets waitlist',
    args: 'activityId entriesMax',
    returns: 'whose undecided packetsLeft waiting',
  },
} satisfies Record<string, ScriptDefinition>;

export interface QuarantinedEntry {
  readonly shard: number;
  readonly id: string;
  /** Its id in the journal. */
  readonly entryId: string;
  readonly flaw: string;
  /** Its fields and values, as a JSON array. */
  readonly fields: string;
}

export interface JournalStanding {
  readonly entries: number;
  readonly quarantined: number;
  /** The oldest entry and its age, by the server's clock alone; undefined if there is none. */
  readonly oldest?: { readonly id: string; readonly ageMs: number };
}

/** A longer journal is not searched: that would keep all other clients of Redis waiting. */
const SEARCHED_MAX = 1_000;

/** The packets of an activity without a claim, as one place knows them. */
export interface Doubts {
  /** A reservation may not be decided yet. */
  readonly isUndecided: boolean;
  readonly packetsLeft: number;
  readonly waiting: number;
}

/** The journal of each shard remembers reservations until they are decided. */
export class ShardJournals {
  readonly keys: RedisKeys;
  private readonly quarantineScript: FencedScript;
  private readonly standingScript: Script;
  private readonly doubtsScript: Script;

  constructor(private readonly own: OwnRedis) {
    this.keys = own.keys;
    this.quarantineScript = own.fenced(journalScripts.quarantine);
    this.standingScript = own.script(journalScripts.standing);
    this.doubtsScript = own.script(journalScripts.doubts);
  }

  /** The oldest entries with `afterId` < id ≤ `upToId` (stream ids; `-` and `+` are the ends). */
  async read(shard: number, afterId: string, upToId: string, limit: number): Promise<JournalRecord[]> {
    const from = afterId === '-' ? '-' : `(${afterId}`;
    const journal = this.keys.journal(shard);
    const [entries] = await this.own.repairing(shard, [journal], () =>
      this.own.read(shard, (reading) => reading.xrange(journal, from, upToId, 'COUNT', limit)),
    );
    return (entries as [string, string[]][]).map(([id, fields]) => readEntry(shard, id, fields, this.keys));
  }

  async end(shard: number): Promise<string | undefined> {
    const journal = this.keys.journal(shard);
    const [newest] = await this.own.repairing(shard, [journal], () =>
      this.own.redis.xrevrange(journal, '+', '-', 'COUNT', 1),
    );
    return newest?.[0];
  }

  /** @throws ForeignRedis */
  async standing(shard: number): Promise<JournalStanding> {
    const keys = [this.keys.installation(shard), this.keys.journal(shard), this.keys.quarantine(shard)];
    const reply = await this.standingScript.run(keys, []);
    const [whose, entries, quarantined, oldestId, nowMs] = reply as StandingReply;
    this.own.requireOwn(whose);
    return { entries, quarantined, oldest: oldestId === '' ? undefined : dated(oldestId, nowMs) };
  }

  /** @throws ForeignRedis */
  async doubts(activityId: string, shard: number): Promise<Doubts> {
    const { packets, waitlist } = this.keys.inShard(activityId, shard);
    const keys = [this.keys.installation(shard), this.keys.journal(shard), packets, waitlist];
    const reply = await this.doubtsScript.run(keys, [activityId, SEARCHED_MAX]);
    const [whose, undecided, packetsLeft, waiting] = reply as DoubtsReply;
    this.own.requireOwn(whose);
    return { isUndecided: undecided === 1, packetsLeft, waiting };
  }

  /** Moves an unreadable entry from the journal into quarantine; false if it is no longer there. */
  async quarantine(shard: number, entryId: string, flaw: string): Promise<boolean> {
    const keys = [this.keys.journal(shard), this.keys.quarantine(shard)];
    return (await this.quarantineScript(shard, keys, [flaw, entryId])) === 1;
  }

  /** The newest entry in quarantine older than `beforeId`. Reads one, which may have any size. */
  async quarantinedBefore(shard: number, beforeId?: string): Promise<QuarantinedEntry | undefined> {
    const end = beforeId === undefined ? '+' : `(${beforeId}`;
    const [found] = await this.own.redis.xrevrange(this.keys.quarantine(shard), end, '-', 'COUNT', 1);
    if (!found) return undefined;
    const [id, [, entryId, , flaw, , fields]] = found;
    return { shard, id, entryId: entryId!, flaw: flaw!, fields: fields! };
  }
}

type DoubtsReply = [whose: string | null, undecided: number, packetsLeft: number, waiting: number];

type StandingReply = [
  whose: string | null,
  entries: number,
  quarantined: number,
  oldestId: string,
  nowMs: number,
];

/** Redis names entries by its clock: `<milliseconds>-<number>`. */
const dated = (id: string, nowMs: number) => ({ id, ageMs: Math.max(0, nowMs - Number(id.split('-')[0])) });
