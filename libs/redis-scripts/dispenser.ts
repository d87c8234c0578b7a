import type { Redis } from 'ioredis';
import { confirmedText, packetText, parsePacket, type HeldPacket, type Packet } from './packet';
import { RedisKeys } from './redis-keys';
import { repliesOf } from './replies';
import { Script } from './script';
import * as definitions from './script-definitions';

/** Users of one activity who ask for a packet in the same call. */
export interface Draw {
  readonly activityId: string;
  readonly userIds: readonly string[];
}

/**
 * The journal entry that one script call left for all its winners. It may be removed when every one of them is
 * decided, so it counts down.
 */
export interface JournalEntry {
  readonly shard: number;
  readonly id: string;
  undecided: number;
}

/** What the dispenser answers one user. In order of precedence; see `lua/grab.lua`. */
export type DrawOutcome =
  | { readonly kind: 'not-loaded' }
  | { readonly kind: 'already'; readonly packet: HeldPacket }
  | { readonly kind: 'closed' }
  | { readonly kind: 'not-open'; readonly opensAtMs: number }
  | { readonly kind: 'sold-out' }
  | { readonly kind: 'won'; readonly packet: Packet; readonly entry: JournalEntry };

/** A packet that Redis has set aside for a user and that Postgres has yet to confirm. */
export interface Reservation {
  readonly activityId: string;
  readonly userId: string;
  readonly packet: Packet;
  /** The journal entry that remembers it, when it is known. */
  readonly entry?: JournalEntry;
  /** When the user had joined the waiting list, in microseconds, if he has waited for it. */
  readonly waitedSince?: string;
}

/** A claim that Postgres holds, as Redis has to learn it. */
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
  /** When the user had joined the waiting list, if he waits on at his old place. */
  readonly waitsSince?: string;
}

export interface JournalRecord {
  readonly id: string;
  readonly reservations: readonly Reservation[];
}

/** Packets on their way into the list, in ascending order: `<no>:<amountMinor> <no>:<amountMinor> …`, or none. */
export interface PacketPage {
  readonly text: string;
  /** How far it reaches: the packets up to here that are not in it are claimed. */
  readonly lastNo: number;
}

/** What became of the wish to wait for a packet; see `lua/join-waitlist.lua`. */
export type JoinOutcome =
  | { readonly kind: 'not-loaded' | 'not-open' | 'closed' | 'already' | 'not-sold-out' }
  | ({ readonly kind: 'waiting' } & WaitingPlace);

/** The place of a user among those who wait, from 1, and how many these are. */
export interface WaitingPlace {
  readonly position: number;
  readonly length: number;
}

/** Instants in milliseconds since the epoch. */
export interface Window {
  readonly opensAtMs: number;
  readonly closesAtMs: number;
}

/** How an activity stands in Redis, `closing` while its claims may be incomplete; `undefined` when Redis does not know it. */
export type DispenserStatus = 'loading' | 'open' | 'closing' | 'closed' | undefined;

/** How an activity stands in Redis at one moment. */
export interface Standing {
  readonly status: DispenserStatus;
  readonly packetsLeft: number;
  /** Users who hold a packet. */
  readonly held: number;
  /** The number of the last packet loaded: of those behind it Redis has not heard. */
  readonly packetCursor: number;
  readonly opensAtMs: number;
  /** What was last told to those who watch it. */
  readonly told?: string;
}

/** How an activity has ended. The first ending stands. */
export type Ending = 'closed' | 'cancelled';

export type CloseWhen = 'any-time' | 'before-opening' | 'after-closing';

/**
 * The typed face of the Lua scripts and of the few plain commands around them. It knows keys, replies and nothing
 * else: what an outcome means for a client or for money is decided by its callers.
 */
export class Dispenser {
  readonly keys: RedisKeys;
  private readonly scripts: Record<keyof typeof definitions, Script>;

  constructor(
    private readonly redis: Redis,
    shardCount: number,
  ) {
    this.keys = new RedisKeys(shardCount);
    this.scripts = {
      grab: new Script(redis, definitions.grab),
      acknowledge: new Script(redis, definitions.acknowledge),
      release: new Script(redis, definitions.release),
      loadBegin: new Script(redis, definitions.loadBegin),
      loadPackets: new Script(redis, definitions.loadPackets),
      extend: new Script(redis, definitions.extend),
      open: new Script(redis, definitions.open),
      close: new Script(redis, definitions.close),
      tidyUp: new Script(redis, definitions.tidyUp),
      joinWaitlist: new Script(redis, definitions.joinWaitlist),
      assignWaitlist: new Script(redis, definitions.assignWaitlist),
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
      const { gate, state, packets, claims } = this.keys.activity(activityId);
      keys.push(gate, state, packets, claims);
      args.push(activityId, userIds.length, ...userIds);
    }
    const [entryId, ...answers] = (await this.scripts.grab.run(keys, args)) as [string, ...string[]];
    const entry: JournalEntry = { shard, id: entryId, undecided: 0 };
    return draws.flatMap(({ userIds }, i) => readOutcomes(userIds, answers.slice(3 * i, 3 * i + 3), entry));
  }

  async release({ activityId, userId, packet, fate, rightful, waitsSince = '' }: Release): Promise<void> {
    const { state, gate, packets, claims, waitlist } = this.keys.activity(activityId);
    const waiting = this.keys.waiting(this.keys.shardOf(activityId));
    const truth = rightful ? [rightful.userId, confirmedText(rightful.packet)] : ['', ''];
    await this.scripts.release.run(
      [state, gate, packets, claims, waitlist, waiting],
      [activityId, userId, packetText(packet), fate, ...truth, waitsSince],
    );
  }

  async joinWaitlist(activityId: string, userId: string): Promise<JoinOutcome> {
    const { state, gate, packets, claims, waitlist } = this.keys.activity(activityId);
    const waiting = this.keys.waiting(this.keys.shardOf(activityId));
    const keys = [state, gate, packets, claims, waitlist, waiting];
    const reply = await this.scripts.joinWaitlist.run(keys, [activityId, userId]);
    const [kind, position, length] = reply as [JoinOutcome['kind'], number, number];
    return kind === 'waiting' ? { kind, position, length } : { kind };
  }

  /** Where a user stands who waits; undefined when he does not. */
  async waitingPlace(activityId: string, userId: string): Promise<WaitingPlace | undefined> {
    const { waitlist } = this.keys.activity(activityId);
    const replies = repliesOf(await this.redis.multi().zrank(waitlist, userId).zcard(waitlist).exec());
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
    const reply = await this.scripts.assignWaitlist.run(keys, [activityId, countMax]);
    const [id, ...fields] = reply as [string, string, string];
    return id === '' ? [] : readReservations(fields, { shard, id, undecided: 0 });
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
      keys.push(this.keys.activity(activityId).claims);
      args.push(list.length, ...list.flatMap(({ userId, packet }) => [userId, packetText(packet)]));
    }
    await this.scripts.acknowledge.run(keys, args);
  }

  /** The oldest entries of a shard's journal with `afterId` < id ≤ `upToId` (stream ids; `-` and `+` are the ends). */
  async readJournal(shard: number, afterId: string, upToId: string, limit: number): Promise<JournalRecord[]> {
    const from = afterId === '-' ? '-' : `(${afterId}`;
    const entries = await this.redis.xrange(this.keys.journal(shard), from, upToId, 'COUNT', limit);
    return entries.map(([id, fields]) => ({
      id,
      reservations: readReservations(fields, { shard, id, undecided: 0 }),
    }));
  }

  /** The id of a journal's newest entry; undefined when the journal is empty. */
  async journalEnd(shard: number): Promise<string | undefined> {
    const [newest] = await this.redis.xrevrange(this.keys.journal(shard), '+', '-', 'COUNT', 1);
    return newest?.[0];
  }

  async journalLength(shard: number): Promise<number> {
    return this.redis.xlen(this.keys.journal(shard));
  }

  /** Begins or resumes loading; resume behind `packetCursor` when the status is `loading`. */
  async beginLoad(
    activityId: string,
    window: Window,
  ): Promise<{ status: DispenserStatus; packetCursor: number }> {
    const { gate, state, packets, claims, waitlist } = this.keys.activity(activityId);
    const reply = await this.scripts.loadBegin.run(
      [state, gate, packets, claims, waitlist],
      [window.opensAtMs, window.closesAtMs],
    );
    const [status, cursor] = reply as [DispenserStatus, string | null];
    return { status, packetCursor: Number(cursor ?? 0) };
  }

  /** Writes claims that Postgres holds, over whatever Redis believes: only while nobody can draw. */
  async loadClaims(claims: readonly ConfirmedClaim[]): Promise<void> {
    for (const [activityId, list] of byActivity(claims)) {
      const fields = list.flatMap(({ userId, packet }) => [userId, confirmedText(packet)]);
      await this.redis.hset(this.keys.activity(activityId).claims, ...fields);
    }
  }

  /** Appends packets in ascending order of their numbers. Returns where the cursor stands now. */
  async loadPackets(activityId: string, cursorBefore: number, { text, lastNo }: PacketPage): Promise<number> {
    const { state, packets } = this.keys.activity(activityId);
    return Number(await this.scripts.loadPackets.run([state, packets], [cursorBefore, lastNo, text]));
  }

  /** The same for packets that were added to an activity after it was opened in Redis. */
  async extend(activityId: string, cursorBefore: number, { text, lastNo }: PacketPage): Promise<number> {
    const { state, packets } = this.keys.activity(activityId);
    return Number(await this.scripts.extend.run([state, packets], [cursorBefore, lastNo, text]));
  }

  /** The last step of loading. Answers the status that holds now. */
  async open(activityId: string, packetCursor: number): Promise<DispenserStatus> {
    const { state, packets } = this.keys.activity(activityId);
    return (await this.scripts.open.run([state, packets], [packetCursor])) as DispenserStatus;
  }

  /** Refuses further grabs; undefined when the server's clock does not allow it (see `lua/close.lua`). */
  async close(activityId: string, when: CloseWhen, window: Window): Promise<Ending | undefined> {
    const { gate, state } = this.keys.activity(activityId);
    const ending = await this.scripts.close.run([state, gate], [when, window.opensAtMs, window.closesAtMs]);
    return ending === 'not-now' ? undefined : (ending as Ending);
  }

  /**
   * The last step of a close, when all claims were written, so many: forgets the packets. State and claims stay, because
   * late taps still get their answer.
   */
  async tidyUp(activityId: string, claimCount: number): Promise<void> {
    const { state, packets, claims } = this.keys.activity(activityId);
    await this.scripts.tidyUp.run([state, packets, claims], [claimCount]);
  }

  /**
   * Whether this server remembers everything: it was told all claims since it started. A server that has restarted, or
   * a replica that was promoted, may have lost its last moments without knowing it.
   */
  async isTrusted(): Promise<boolean> {
    return (await this.redis.get(this.keys.trustedServer())) === (await this.serverId());
  }

  /** Identifies a server from its start to its end. */
  async serverId(): Promise<string> {
    return /^run_id:(\w+)/m.exec(await this.redis.info('server'))?.[1] ?? 'unknown';
  }

  /** To be called when the server has been told all claims; with the id that it had before that. */
  async trust(serverId: string): Promise<void> {
    await this.redis.set(this.keys.trustedServer(), serverId);
  }

  /** Makes Redis forget an activity, so that it is loaded again from scratch. Until then nobody can draw. */
  async forget(activityId: string): Promise<void> {
    const { gate, state } = this.keys.activity(activityId);
    await this.redis.unlink(state, gate);
  }

  /** Status and number of packets left, for any number of activities, in their order. */
  async standing(
    activityIds: readonly string[],
  ): Promise<Pick<Standing, 'status' | 'packetsLeft' | 'told'>[]> {
    return Promise.all(
      activityIds.map(async (activityId) => {
        const { state, packets } = this.keys.activity(activityId);
        const [[status, told], packetsLeft] = await Promise.all([
          this.redis.hmget(state, 'status', 'told'),
          this.redis.llen(packets),
        ]);
        return {
          status: (status ?? undefined) as DispenserStatus,
          packetsLeft,
          told: told ?? undefined,
        };
      }),
    );
  }

  /** The same of one activity, with the number of users who hold a packet and the load cursor, all at one moment. */
  async standingOf(activityId: string): Promise<Standing> {
    const { state, packets, claims } = this.keys.activity(activityId);
    const standing = this.redis
      .multi()
      .hmget(state, 'status', 'packetCursor', 'opensAt', 'told')
      .llen(packets)
      .hlen(claims);
    const [fields, packetsLeft, held] = repliesOf(await standing.exec());
    const [status, packetCursor, opensAt, told] = fields as (string | null)[];
    return {
      status: (status ?? undefined) as DispenserStatus,
      packetsLeft: packetsLeft as number,
      held: held as number,
      packetCursor: Number(packetCursor ?? 0),
      opensAtMs: Number(opensAt ?? 0),
      told: told ?? undefined,
    };
  }

  /** Of an activity that Redis knows; what it does not know does not come into being. */
  async rememberTold(activityId: string, told: string): Promise<void> {
    const { state } = this.keys.activity(activityId);
    if ((await this.redis.exists(state)) === 1) await this.redis.hset(state, 'told', told);
  }

  /** The keys of an activity that would vanish by themselves: none should but the gate. */
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
      const [next, fields] = await this.redis.hscan(claims, cursor, 'COUNT', 1000);
      cursor = next;
      yield pairs(fields).map(([userId, packet]) => ({ userId, packet: parsePacket(packet) }));
    } while (cursor !== '0');
  }
}

/** The answer of `grab.lua` for one activity, user by user; who taps twice in one call wins with his first tap. */
function readOutcomes(
  userIds: readonly string[],
  [won = '', held = '', rest = '']: readonly string[],
  entry: JournalEntry,
): DrawOutcome[] {
  const [winners, holders] = [readPackets(won), readPackets(held)];
  const other = readRest(rest);
  return userIds.map((userId) => {
    const reserved = winners.get(userId);
    if (reserved) {
      winners.delete(userId);
      holders.set(userId, reserved);
      entry.undecided += 1;
      return { kind: 'won', packet: reserved, entry };
    }
    const packet = holders.get(userId);
    return packet ? { kind: 'already', packet } : other;
  });
}

function readRest(text: string): DrawOutcome {
  const [kind, opensAtMs] = text.split(' ');
  switch (kind) {
    case 'not-open':
      return { kind, opensAtMs: Number(opensAtMs) };
    case 'sold-out':
    case 'closed':
    case 'not-loaded':
      return { kind };
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

/**
 * Fields of a journal entry: `activityId`, `"<userId> <packet> <userId> <packet> …"`, once per activity. Of users who have
 * waited, it is `"<activityId> waitlist <moment> <moment> …"`.
 */
function readReservations(fields: readonly string[], entry: JournalEntry): Reservation[] {
  return pairs(fields).flatMap(([about, list]) => {
    const [activityId, , ...moments] = about.split(' ') as [string, ...string[]];
    return pairs(list.split(' ')).map(([userId, packet], i) => {
      entry.undecided += 1;
      return { activityId, userId, packet: parsePacket(packet), entry, waitedSince: moments[i] };
    });
  });
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
