import type { ChainableCommander, Redis } from 'ioredis';
import { type JournalEntry, type JournalRecord, readEntry, type Reservation } from './journal-entry';
import { confirmedText, heldText, packetText, parsePacket, type HeldPacket, type Packet } from './packet';
import { RedisKeys } from './redis-keys';
import { repliesOf } from './replies';
import { isFenced, Script } from './script';
import * as definitions from './script-definitions';

/** The format of an activity's state, as `lua/load-begin.lua` writes it. */
const FORMAT = 1;

/** Users of one activity who ask for a packet in the same call. */
export interface Draw {
  readonly activityId: string;
  readonly userIds: readonly string[];
}

/** What the dispenser answers one user. In order of precedence; see `lua/grab.lua`. */
export type DrawOutcome =
  | { readonly kind: 'not-loaded' }
  | { readonly kind: 'already'; readonly packet: HeldPacket }
  | { readonly kind: 'closed' }
  | { readonly kind: 'over' }
  | { readonly kind: 'not-open'; readonly opensAtMs: number }
  | { readonly kind: 'sold-out' }
  | {
      readonly kind: 'won';
      readonly packet: Packet;
      readonly entry: JournalEntry;
      /** When the user had joined the waiting list, in microseconds, if they have waited. */
      readonly waitedSince?: string;
    };

/** A claim that Postgres holds, as Redis is told of it. */
export interface ConfirmedClaim {
  readonly activityId: string;
  readonly userId: string;
  readonly packet: Packet;
}

/** A reservation that Postgres refused, and the claim that was in its way, if there was one. */
export interface Release {
  readonly activityId: string;
  readonly userId: string;
  readonly packet: Packet;
  /** `return`: nobody holds the packet; `drop`: it must not be handed out again. */
  readonly fate: 'return' | 'drop';
  readonly rightful?: { readonly userId: string; readonly packet: Packet };
  /** When the user had joined the waiting list, if they keep waiting in their old place. */
  readonly waitsSince?: string;
}

/** A journal entry that nobody can read, as it is kept in quarantine. */
export interface QuarantinedEntry {
  readonly shard: number;
  readonly id: string;
  /** Its id in the journal. */
  readonly entryId: string;
  readonly flaw: string;
  /** Its fields and values, as a JSON array. */
  readonly fields: string;
}

/** Packets on their way into the list, in ascending order: `<no>:<amountMinor> <no>:<amountMinor> …`, or none. */
export interface PacketPage {
  readonly text: string;
  /** How far it reaches: the packets up to here that are not in it are claimed. */
  readonly lastNo: number;
}

/** What became of the request to wait for a packet; see `lua/join-waitlist.lua`. */
export type JoinOutcome =
  | { readonly kind: 'not-loaded' | 'not-open' | 'closed' | 'over' | 'already' | 'not-sold-out' | 'full' }
  | ({ readonly kind: 'waiting' } & WaitingPlace);

/** A user's place among those who wait, from 1, and how many wait. */
export interface WaitingPlace {
  readonly position: number;
  readonly length: number;
}

/** Instants in milliseconds since the epoch. */
export interface Window {
  readonly opensAtMs: number;
  readonly closesAtMs: number;
  /** Distinguishes an activity from another one that had the same id, in a history that Postgres has lost. */
  readonly birth?: string;
}

/** Where Postgres is: in which history, and how far it has come in it, as 16 hex digits. */
export interface PostgresMark {
  readonly history: string;
  readonly flushed: string;
}

/** What a server knows about itself. */
export interface ServerNotes {
  readonly serverId: string;
  /** It was told all claims since it started. */
  readonly isTrusted: boolean;
  /** What it was told is the history of Postgres up to here, at least. */
  readonly mark?: PostgresMark;
}

/** Redis holds the data of another installation: nothing on it may be believed or touched. */
export class ForeignRedis extends Error {
  constructor() {
    super('Redis (REDIS_URL) belongs to another installation.');
  }
}

/** A newer version of this program has loaded the activity, and only that version may touch it. */
export class NewerActivity extends Error {
  constructor(activityId: string) {
    super(`Activity ${activityId} is held in Redis in the format of a newer version of this program.`);
  }
}

/**
 * How an activity stands in Redis, `closing` while its claims may be incomplete; `newer` when only the newer version of
 * this program that loaded it may touch it; `undefined` when Redis does not know it.
 */
export type DispenserStatus = 'newer' | 'loading' | 'open' | 'closing' | 'closed' | undefined;

/** How an activity stands in Redis at one moment. */
export interface Standing {
  readonly status: DispenserStatus;
  readonly packetsLeft: number;
  /** Users who hold a packet. */
  readonly held: number;
  /** The number of the last packet loaded: Redis does not know of those after it. */
  readonly packetCursor: number;
  readonly opensAtMs: number;
  /** What those who watch it were last told. */
  readonly told?: string;
  /** As in {@link Window}; undefined when another installation has loaded it, or an older version. */
  readonly birth?: string;
}

/** How an activity has ended. The first ending stands. */
export type Ending = 'closed' | 'cancelled';

export type CloseWhen = 'any-time' | 'before-opening' | 'after-closing';

/** A script passes all their keys to one command, and Lua can pass on only a few thousand. */
const ERASED_AT_ONCE = 500;

/**
 * The typed interface to the Lua scripts and to the few plain commands around them. It knows keys and replies,
 * nothing else: what an outcome means for a client or for money is decided by its callers.
 */
export class Dispenser {
  readonly keys: RedisKeys;
  private readonly scripts: Record<keyof typeof definitions, Script>;
  private owner = '';
  private foreign = false;
  /** Redis remembers what Postgres has lost: nothing may end before its winners are submitted to Postgres again. */
  isAhead = false;

  constructor(
    private readonly redis: Redis,
    shardCount: number,
  ) {
    this.keys = new RedisKeys(shardCount);
    const fenced = { fenced: true };
    this.scripts = {
      grab: new Script(redis, definitions.grab),
      acknowledge: new Script(redis, definitions.acknowledge, fenced),
      release: new Script(redis, definitions.release, fenced),
      loadBegin: new Script(redis, definitions.loadBegin, fenced),
      loadClaims: new Script(redis, definitions.loadClaims, fenced),
      appendPackets: new Script(redis, definitions.appendPackets, fenced),
      open: new Script(redis, definitions.open, fenced),
      close: new Script(redis, definitions.close, fenced),
      discardPackets: new Script(redis, definitions.discardPackets, fenced),
      tidyUp: new Script(redis, definitions.tidyUp, fenced),
      joinWaitlist: new Script(redis, definitions.joinWaitlist, fenced),
      assignWaitlist: new Script(redis, definitions.assignWaitlist, fenced),
      quarantine: new Script(redis, definitions.quarantine, fenced),
      standing: new Script(redis, definitions.standing),
      raiseMark: new Script(redis, definitions.raiseMark, fenced),
      erase: new Script(redis, definitions.erase, fenced),
    };
  }

  /** The server's clock in milliseconds: the only clock that decides about the window of a rain. */
  async nowMs(): Promise<number> {
    const [seconds, microseconds] = await this.redis.time();
    return Number(seconds) * 1000 + Math.floor(Number(microseconds) / 1000);
  }

  /** Draws for users of activities of one shard, atomically. Outcomes come draw by draw, in the order of the users. */
  async draw(shard: number, draws: readonly Draw[]): Promise<DrawOutcome[]> {
    const keys = [this.keys.journal(shard)];
    const args: (string | number)[] = [];
    for (const { activityId, userIds } of draws) {
      const { gate, state, packets, claims, waitlist } = this.keys.activity(activityId);
      keys.push(gate, state, packets, claims, waitlist);
      args.push(activityId, userIds.length, ...userIds);
    }
    args.push(this.owner);
    const [entryId, ...answers] = ((await this.scripts.grab.run(keys, args)) as string).split('\n');
    const entry: JournalEntry = { shard, id: entryId!, undecided: 0 };
    return draws.flatMap(({ userIds }, i) => readOutcomes(userIds, answers.slice(3 * i, 3 * i + 3), entry));
  }

  async release({ activityId, userId, packet, fate, rightful, waitsSince = '' }: Release): Promise<void> {
    const { gate, packets, claims, waitlist } = this.keys.activity(activityId);
    const waiting = this.keys.waiting(this.keys.shardOf(activityId));
    const truth = rightful ? [rightful.userId, confirmedText(rightful.packet)] : ['', ''];
    await this.run(
      'release',
      this.keys.shardOf(activityId),
      [gate, packets, claims, waitlist, waiting],
      [activityId, userId, heldText(packet), fate, ...truth, waitsSince],
    );
  }

  /** Lets at most `lengthMax` users wait. */
  async joinWaitlist(
    activityId: string,
    userId: string,
    lengthMax = Number.MAX_SAFE_INTEGER,
  ): Promise<JoinOutcome> {
    const { state, gate, packets, claims, waitlist } = this.keys.activity(activityId);
    const shard = this.keys.shardOf(activityId);
    const keys = [state, gate, packets, claims, waitlist, this.keys.waiting(shard)];
    const reply = await this.run('joinWaitlist', shard, keys, [activityId, userId, lengthMax]);
    const [kind, position, length] = reply as [JoinOutcome['kind'], number, number];
    return kind === 'waiting' ? { kind, position, length } : { kind };
  }

  /** The place of a user who waits; undefined when the user does not wait. */
  async waitingPlace(activityId: string, userId: string): Promise<WaitingPlace | undefined> {
    const { waitlist } = this.keys.activity(activityId);
    const replies = await this.readOwn(this.keys.shardOf(activityId), (reading) =>
      reading.zrank(waitlist, userId).zcard(waitlist),
    );
    const [rank, length] = replies as [number | null, number];
    return rank === null ? undefined : { position: rank + 1, length };
  }

  /** Activities of a shard for whose packets somebody waits. */
  waitingActivities(shard: number): Promise<string[]> {
    return this.redis.smembers(this.keys.waiting(shard));
  }

  /** Gives free packets to those who have waited longest: at most `countMax`, in their order. */
  async assignWaitlist(activityId: string, countMax: number): Promise<Reservation[]> {
    const shard = this.keys.shardOf(activityId);
    const { state, packets, claims, waitlist } = this.keys.activity(activityId);
    const keys = [this.keys.journal(shard), state, packets, claims, waitlist, this.keys.waiting(shard)];
    const reply = await this.run('assignWaitlist', shard, keys, [activityId, countMax]);
    const [id, ...fields] = reply as [string, string, string];
    return id === '' ? [] : [...this.readEntry(shard, id, fields).reservations];
  }

  /** Marks claims of one shard as confirmed and removes journal entries that are wholly decided. */
  async acknowledge(
    shard: number,
    claims: readonly ConfirmedClaim[],
    entryIds: readonly string[],
  ): Promise<void> {
    const keys = [this.keys.journal(shard)];
    const args: (string | number)[] = [entryIds.length, ...entryIds];
    for (const [activityId, list] of byActivity(claims)) {
      const { claims, waitlist } = this.keys.activity(activityId);
      keys.push(claims, waitlist);
      args.push(list.length, ...list.flatMap(({ userId, packet }) => [userId, packetText(packet)]));
    }
    await this.run('acknowledge', shard, keys, args);
  }

  /** The oldest entries of a shard's journal with `afterId` < id ≤ `upToId` (stream ids; `-` and `+` are the ends). */
  async readJournal(shard: number, afterId: string, upToId: string, limit: number): Promise<JournalRecord[]> {
    const from = afterId === '-' ? '-' : `(${afterId}`;
    const [entries] = await this.readOwn(shard, (reading) =>
      reading.xrange(this.keys.journal(shard), from, upToId, 'COUNT', limit),
    );
    return (entries as [string, string[]][]).map(([id, fields]) => this.readEntry(shard, id, fields));
  }

  private readEntry(shard: number, id: string, fields: readonly string[]): JournalRecord {
    return readEntry(shard, id, fields, (activityId) => this.keys.shardOf(activityId) === shard);
  }

  /** Moves an unreadable entry from the journal into quarantine; false when it is no longer there. */
  async quarantine(shard: number, entryId: string, flaw: string): Promise<boolean> {
    const keys = [this.keys.journal(shard), this.keys.quarantine(shard)];
    return (await this.run('quarantine', shard, keys, [flaw, entryId])) === 1;
  }

  /** The newest entry in quarantine that is older than `beforeId`. One at a time: nobody knows how large it is. */
  async quarantinedBefore(shard: number, beforeId?: string): Promise<QuarantinedEntry | undefined> {
    const end = beforeId === undefined ? '+' : `(${beforeId}`;
    const [found] = await this.redis.xrevrange(this.keys.quarantine(shard), end, '-', 'COUNT', 1);
    if (!found) return undefined;
    const [id, [, entryId, , flaw, , fields]] = found;
    return { shard, id, entryId: entryId!, flaw: flaw!, fields: fields! };
  }

  async quarantineLength(shard: number): Promise<number> {
    return this.redis.xlen(this.keys.quarantine(shard));
  }

  /** The id of a journal's newest entry; undefined when the journal is empty. */
  async journalEnd(shard: number): Promise<string | undefined> {
    const [newest] = await this.redis.xrevrange(this.keys.journal(shard), '+', '-', 'COUNT', 1);
    return newest?.[0];
  }

  async journalLength(shard: number): Promise<number> {
    return this.redis.xlen(this.keys.journal(shard));
  }

  /** Begins or resumes loading; resume after `packetCursor` when the status is `loading`. */
  async beginLoad(
    activityId: string,
    window: Window,
  ): Promise<{ status: DispenserStatus; packetCursor: number }> {
    const { gate, state, packets, claims, waitlist } = this.keys.activity(activityId);
    const reply = await this.run(
      'loadBegin',
      this.keys.shardOf(activityId),
      [state, gate, packets, claims, waitlist],
      [window.opensAtMs, window.closesAtMs, window.birth ?? ''],
    );
    const [status, cursor] = reply as [DispenserStatus, string | null];
    return { status, packetCursor: Number(cursor ?? 0) };
  }

  /**
   * Writes claims that Postgres holds over whatever Redis believes, and takes their users off the waiting list. Only
   * while nobody can draw.
   */
  async loadClaims(confirmed: readonly ConfirmedClaim[]): Promise<void> {
    for (const [activityId, list] of byActivity(confirmed)) {
      const { claims, waitlist } = this.keys.activity(activityId);
      const fields = list.flatMap(({ userId, packet }) => [userId, confirmedText(packet)]);
      await this.run('loadClaims', this.keys.shardOf(activityId), [claims, waitlist], fields);
    }
  }

  /** Appends packets in ascending order of their numbers. Returns where the cursor stands now. */
  loadPackets(activityId: string, cursorBefore: number, page: PacketPage): Promise<number> {
    return this.append('loading', activityId, cursorBefore, page);
  }

  /** The same for packets that were added to an activity after it was opened in Redis. */
  extend(activityId: string, cursorBefore: number, page: PacketPage): Promise<number> {
    return this.append('open', activityId, cursorBefore, page);
  }

  private async append(
    status: 'loading' | 'open',
    activityId: string,
    cursorBefore: number,
    { text, lastNo }: PacketPage,
  ): Promise<number> {
    const { state, packets } = this.keys.activity(activityId);
    const args = [status, cursorBefore, lastNo, text];
    return Number(await this.run('appendPackets', this.keys.shardOf(activityId), [state, packets], args));
  }

  /** The last step of loading. Returns the status that holds now. */
  async open(activityId: string, packetCursor: number): Promise<DispenserStatus> {
    const { state, packets } = this.keys.activity(activityId);
    const shard = this.keys.shardOf(activityId);
    return (await this.run('open', shard, [state, packets], [packetCursor])) as DispenserStatus;
  }

  /**
   * Refuses further grabs; undefined when the server's clock does not allow it (see `lua/close.lua`).
   *
   * @throws NewerActivity
   */
  async close(
    activityId: string,
    when: CloseWhen,
    { opensAtMs, closesAtMs, birth = '' }: Window,
    ending: Ending = when === 'before-opening' ? 'cancelled' : 'closed',
  ): Promise<Ending | undefined> {
    const { gate, state, packets, claims } = this.keys.activity(activityId);
    const stands = await this.run(
      'close',
      this.keys.shardOf(activityId),
      [state, gate, packets, claims],
      [ending, when, opensAtMs, closesAtMs, birth],
    );
    if (stands === 'newer') throw new NewerActivity(activityId);
    return stands === 'not-now' ? undefined : (stands as Ending);
  }

  /** Stops all drawing from an activity that has ended in Postgres, and frees its memory. Needs none itself. */
  async discardPackets(activityId: string): Promise<void> {
    const { state, gate, packets } = this.keys.activity(activityId);
    await this.run('discardPackets', this.keys.shardOf(activityId), [state, gate, packets], []);
  }

  /** Called once all `claimCount` claims of an ended activity are written. State and claims stay: they answer late taps. */
  async tidyUp(activityId: string, claimCount: number): Promise<void> {
    const { state, claims } = this.keys.activity(activityId);
    await this.run('tidyUp', this.keys.shardOf(activityId), [state, claims], [claimCount]);
  }

  /** Removes everything of these activities from Redis. Needs no memory. */
  async remove(activityIds: readonly string[]): Promise<void> {
    for (const shard of this.keys.shards) {
      const ids = activityIds.filter((activityId) => this.keys.shardOf(activityId) === shard);
      for (let start = 0; start < ids.length; start += ERASED_AT_ONCE)
        await this.eraseAll(shard, ids.slice(start, start + ERASED_AT_ONCE));
    }
  }

  /** Every activity of which Redis holds anything from the start of the scan to its end, page by page; some of them twice. */
  async *activities(): AsyncGenerator<string[]> {
    let cursor = '0';
    do {
      const [next, keys] = await this.redis.scan(cursor, 'MATCH', this.keys.ofActivities(), 'COUNT', 1000);
      cursor = next;
      yield [...new Set(keys.flatMap((key) => this.keys.activityOf(key) ?? []))];
    } while (cursor !== '0');
  }

  /** The installation that this dispenser belongs to from now on. One without an identity works on a server without one. */
  identify(installation: string): void {
    this.owner = installation;
  }

  /** Whether the server was found to belong to another installation when that was last asked: leave it alone. */
  get isForeign(): boolean {
    return this.foreign;
  }

  /** Whether another installation has claimed a shard. Changes nothing. */
  async belongsToOthers(): Promise<boolean> {
    const owners = await Promise.all(this.keys.shards.map((shard) => this.ownerOf(shard)));
    return owners.some((owner) => owner !== null && owner !== this.owner);
  }

  /**
   * Claims a server that belongs to nobody; from then on it is not trusted, because it has forgotten everything.
   *
   * @throws ForeignRedis when a shard belongs to another installation
   */
  async claim(shards: readonly number[] = this.keys.shards): Promise<void> {
    if (this.owner === '') return;
    for (const shard of shards) {
      if ((await this.ownerOf(shard)) === null) await this.claimShard(shard);
      this.foreign = (await this.ownerOf(shard)) !== this.owner;
      if (this.foreign) throw new ForeignRedis();
    }
  }

  /** The trust is withdrawn first: a process that dies in between leaves a server that belongs to nobody. */
  private async claimShard(shard: number): Promise<void> {
    await this.redis.unlink(this.keys.trustedServer());
    await this.redis.unlink(this.keys.history());
    await this.redis.set(this.keys.installation(shard), this.owner, 'NX');
  }

  private ownerOf(shard: number): Promise<string | null> {
    return this.redis.get(this.keys.installation(shard));
  }

  /**
   * Runs a script on our own server only; the script itself checks, so that nothing can come in between. A server that
   * has forgotten its owner is claimed.
   *
   * @throws ForeignRedis
   */
  private async run(
    name: keyof typeof definitions,
    shard: number,
    keys: readonly string[],
    args: readonly (string | number)[],
  ): Promise<unknown> {
    const attempt = () =>
      this.scripts[name].run([...keys, this.keys.installation(shard)], [...args, this.owner]);
    try {
      return await attempt();
    } catch (error) {
      if (!isFenced(error)) throw error;
      if (this.owner === '') throw new ForeignRedis();
      await this.claim([shard]);
      return attempt();
    }
  }

  /**
   * What read-only commands answer. The owner is read before and after them. A transaction would do it at one moment, but a
   * server whose memory is full refuses all of it.
   *
   * @throws ForeignRedis instead of what another installation has written
   */
  private async readOwn(
    shard: number,
    ask: (pipeline: ChainableCommander) => ChainableCommander,
  ): Promise<unknown[]> {
    const installation = this.keys.installation(shard);
    const asked = ask(this.redis.pipeline().get(installation)).get(installation);
    const [before, ...replies] = repliesOf(await asked.exec());
    this.requireOwn(before, replies.pop());
    return replies;
  }

  /** @throws ForeignRedis unless each owner that was read is ours, or nobody */
  private requireOwn(...owners: unknown[]): void {
    if (owners.every((owner) => this.owner === '' || owner === null || owner === this.owner)) return;
    this.foreign = true;
    throw new ForeignRedis();
  }

  /**
   * Whether this server remembers everything: it was told all claims since it started. A server that has restarted, or
   * a replica that was promoted, may have lost its last moments without knowing it.
   */
  async isTrusted(): Promise<boolean> {
    return (await this.notes()).isTrusted;
  }

  async notes(): Promise<ServerNotes> {
    const [serverId, trusted, [history, flushed]] = await Promise.all([
      this.serverId(),
      this.redis.get(this.keys.trustedServer()),
      this.redis.hmget(this.keys.history(), 'id', 'flushed'),
    ]);
    const mark = history && flushed ? { history, flushed } : undefined;
    return { serverId, isTrusted: trusted === serverId, mark };
  }

  /**
   * Identifies a server from its start to its end, or to the moment when it becomes the replica of another one: when it
   * serves again after that, it has missed something.
   */
  async serverId(): Promise<string> {
    const info = await this.redis.info();
    const [, run = 'unknown'] = /^run_id:(\w+)/m.exec(info) ?? [];
    const [, replication = 'unknown'] = /^master_replid:(\w+)/m.exec(info) ?? [];
    return `${run}.${replication}`;
  }

  /** To be called when the server has been told all claims; with the id that it had before that. */
  async trust(serverId: string, { history, flushed }: PostgresMark): Promise<void> {
    const noting = this.redis.multi().hset(this.keys.history(), { id: history, flushed });
    repliesOf(await noting.set(this.keys.trustedServer(), serverId).exec());
  }

  /** Notes how far Postgres has come, in the history that the server was told. */
  async raiseMark({ history, flushed }: PostgresMark): Promise<void> {
    await this.run('raiseMark', 0, [this.keys.history()], [history, flushed]);
  }

  private async eraseAll(shard: number, activityIds: readonly string[]): Promise<void> {
    const keys = activityIds.flatMap((id) => Object.values(this.keys.activity(id)) as string[]);
    await this.run('erase', shard, [this.keys.waiting(shard), ...keys], activityIds);
  }

  /** Makes Redis forget an activity, so that it is loaded again from scratch. Until then nobody can draw. */
  async forget(activityId: string): Promise<void> {
    const { gate, state } = this.keys.activity(activityId);
    const shard = this.keys.shardOf(activityId);
    await this.run('erase', shard, [this.keys.waiting(shard), state, gate], []);
  }

  /** Status and number of packets left, for any number of activities, in their order. */
  async standing(
    activityIds: readonly string[],
  ): Promise<Pick<Standing, 'status' | 'packetsLeft' | 'told'>[]> {
    return Promise.all(
      activityIds.map(async (activityId) => {
        const { state, packets } = this.keys.activity(activityId);
        const [[status, told, format], packetsLeft] = await Promise.all([
          this.redis.hmget(state, 'status', 'told', 'format'),
          this.redis.llen(packets),
        ]);
        return {
          status: statusOf(status, format),
          packetsLeft,
          told: told ?? undefined,
        };
      }),
    );
  }

  /** The same of one activity, with the number of users who hold a packet and the load cursor, all at one moment. */
  async standingOf(activityId: string): Promise<Standing> {
    const { state, packets, claims } = this.keys.activity(activityId);
    const installation = this.keys.installation(this.keys.shardOf(activityId));
    const reply = await this.scripts.standing.run(
      [installation, state, packets, claims],
      ['status', 'packetCursor', 'opensAt', 'told', 'birth', 'owner', 'format'],
    );
    const [whose, fields, packetsLeft, held] = reply as [string | null, (string | null)[], number, number];
    this.requireOwn(whose);
    const [status, packetCursor, opensAt, told, birth, owner, format] = fields;
    return {
      status: statusOf(status, format),
      packetsLeft,
      held,
      packetCursor: Number(packetCursor ?? 0),
      opensAtMs: Number(opensAt ?? 0),
      told: told ?? undefined,
      birth: owner === this.owner ? (birth ?? undefined) : undefined,
    };
  }

  /** Only for an activity that Redis knows: an unknown one is not created. */
  async rememberTold(activityId: string, told: string): Promise<void> {
    const { state } = this.keys.activity(activityId);
    if ((await this.redis.exists(state)) === 1) await this.redis.hset(state, 'told', told);
  }

  /** The keys of an activity that would expire: only the gate should. */
  async expiringKeys(activityId: string): Promise<string[]> {
    const { state, packets, claims } = this.keys.activity(activityId);
    const keys = [state, packets, claims];
    const ttls = await Promise.all(keys.map((key) => this.redis.pttl(key)));
    return keys.filter((_, i) => ttls[i]! >= 0);
  }

  /** When grabs were refused for good, in milliseconds by the server's clock; undefined while they are not. */
  async endedAtMs(activityId: string): Promise<number | undefined> {
    const endedAt = await this.redis.hget(this.keys.activity(activityId).state, 'endedAt');
    return endedAt === null ? undefined : Number(endedAt);
  }

  /** One page of the packets that nobody holds. */
  async packetsPage(activityId: string, start: number, count: number): Promise<Packet[]> {
    const { packets } = this.keys.activity(activityId);
    return (await this.redis.lrange(packets, start, start + count - 1)).map(parsePacket);
  }

  /** Every user who holds a packet, page by page. A user may appear twice when the hash grows meanwhile. */
  async *holders(activityId: string): AsyncGenerator<{ userId: string; packet: HeldPacket }[]> {
    const { claims } = this.keys.activity(activityId);
    let cursor = '0';
    do {
      const [page] = await this.readOwn(this.keys.shardOf(activityId), (reading) =>
        reading.hscan(claims, cursor, 'COUNT', 1000),
      );
      const [next, fields] = page as [string, string[]];
      cursor = next;
      yield pairs(fields).map(([userId, packet]) => ({ userId, packet: parsePacket(packet) }));
    } while (cursor !== '0');
  }
}

/** A state that was written before formats were numbered has the first one. */
function statusOf(status: string | null | undefined, format: string | null | undefined): DispenserStatus {
  if (Number(format ?? FORMAT) > FORMAT) return 'newer';
  return (status ?? undefined) as DispenserStatus;
}

/** The answer of `grab.lua` for one activity, user by user; one who taps twice in one call wins with the first tap. */
function readOutcomes(
  userIds: readonly string[],
  [won = '', held = '', rest = '']: readonly string[],
  entry: JournalEntry,
): DrawOutcome[] {
  const [winners, holders] = [readPackets(won), readPackets(held)];
  const { other, moments } = readRest(rest);
  const waited = moments.length > 0 ? [...winners.keys()] : [];
  return userIds.map((userId) => {
    const reserved = winners.get(userId);
    if (reserved) {
      winners.delete(userId);
      holders.set(userId, reserved);
      entry.undecided += 1;
      return { kind: 'won', packet: reserved, entry, waitedSince: moments[waited.indexOf(userId)] };
    }
    const packet = holders.get(userId);
    return packet ? { kind: 'already', packet } : other;
  });
}

function readRest(text: string): { other: DrawOutcome; moments: readonly string[] } {
  const [kind, ...more] = text.split(' ');
  switch (kind) {
    case 'not-open':
      return { other: { kind, opensAtMs: Number(more[0]) }, moments: [] };
    case 'sold-out':
    case 'closed':
    case 'over':
    case 'not-loaded':
      return { other: { kind }, moments: more };
    default:
      throw new TypeError(`grab.lua answered ${JSON.stringify(text)}`);
  }
}

/** Who got what: `"<userId> <packet> <userId> <packet> …"` */
function readPackets(text: string): Map<string, HeldPacket> {
  const packets = new Map<string, HeldPacket>();
  if (text === '') return packets;
  const words = text.split(' ');
  for (let i = 0; i < words.length; i += 2) packets.set(words[i]!, parsePacket(words[i + 1]!));
  return packets;
}

function byActivity(claims: readonly ConfirmedClaim[]): Map<string, ConfirmedClaim[]> {
  const groups = new Map<string, ConfirmedClaim[]>();
  for (const claim of claims) {
    const group = groups.get(claim.activityId);
    if (group) group.push(claim);
    else groups.set(claim.activityId, [claim]);
  }
  return groups;
}

function pairs(list: readonly string[]): [string, string][] {
  return Array.from({ length: list.length / 2 }, (_, i) => [list[2 * i]!, list[2 * i + 1]!]);
}
