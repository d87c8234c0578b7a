import { byActivity, type ConfirmedClaim, type SentUser } from './confirmed-claim';
import { aboutDraw, JournalEntry } from './journal-entry';
import type { OwnRedis } from './own-redis';
import { confirmedText, heldText, packetText, parsePacket, type HeldPacket, type Packet } from './packet';
import type { Place, RedisKeys } from './redis-keys';
import type { ScriptDefinition } from './script-header';
import { type NoteHow, SentOnNotes } from './sent-on-notes';

export const reservationScripts = {
  grab: {
    name: 'grab',
    keys: 'journal (gate state packets claims waitlist)*',
    args: '(activityId userCount userId*)* owner',
    returns: 'lines: journalEntryId (won held rest)*',
  },
  grabPart: {
    name: 'grab-part',
    keys: 'journal (state packets claims waitlist sentOn)*',
    args: '(activityId parts sendTo visits userCount userId*)* owner',
    returns: 'lines: journalEntryId (won held sent rest left)*',
  },
  release: {
    name: 'release',
    keys: 'gate packets claims waitlist waiting',
    args: 'activityId userId packet fate rightfulUserId rightfulPacket waitsSince',
    returns: 'released',
  },
  acknowledge: {
    name: 'acknowledge',
    keys: 'journal (claims waitlist)*',
    args: 'entryCount entryId* (claimCount (userId packet)*)*',
    returns: 'marked',
  },
} satisfies Record<string, ScriptDefinition>;

/** Users of one activity who ask for a packet in the same call. */
export interface Draw {
  readonly activityId: string;
  readonly userIds: readonly string[];
  /** Their wins are to be held, as the journal records. */
  readonly hold?: boolean;
}

/** Users who ask for a packet from one part of an activity that is dealt over several. */
export interface PartDraw extends Draw {
  readonly parts: number;
  /** The part for users who find nothing here. */
  readonly sendTo?: number;
  /** The number of earlier visits on the same way; 0 unless given. */
  readonly visits?: number;
  /** The moment at which the only user joined the waiting list, if a packet is found for them. */
  readonly waitedSince?: string;
}

/** The dispenser's answer to one user, in order of precedence; see `lua/grab.lua`. */
export type DrawOutcome =
  | { readonly kind: 'not-loaded' }
  | { readonly kind: 'already'; readonly packet: HeldPacket }
  | { readonly kind: 'closed' }
  | { readonly kind: 'over' }
  | { readonly kind: 'not-open'; readonly opensAtMs: number }
  | { readonly kind: 'not-yet'; readonly nextAtMs: number; readonly closesAtMs: number }
  | { readonly kind: 'sold-out' }
  /** The activity is dealt over several parts; see {@link PartDraw}. */
  | { readonly kind: 'parts'; readonly parts: number }
  | {
      readonly kind: 'won';
      readonly packet: Packet;
      readonly entry: JournalEntry;
      /** The moment of joining the waiting list, in microseconds; only if they have waited. */
      readonly waitedSince?: string;
    };

/**
 * The answer of one part to a user. `sent`: the user is sent on to another part, now or earlier; `parts` are
 * those noted for this visit and all later visits.
 */
export type PartOutcome =
  Exclude<DrawOutcome, { kind: 'parts' }> | { readonly kind: 'sent'; readonly parts: readonly number[] };

export interface PartAnswer {
  readonly outcomes: PartOutcome[];
  /** Undefined while nothing can be drawn. */
  readonly left?: number;
}

/** A reservation that Postgres refused; `rightful` is the claim that conflicts with it. */
export interface Release {
  readonly activityId: string;
  readonly userId: string;
  readonly packet: Packet;
  readonly shard: number;
  /** `return`: the packet has no holder; `drop`: it must not be handed out again. */
  readonly fate: 'return' | 'drop';
  readonly rightful?: { readonly userId: string; readonly packet: Packet };
  /** The moment of joining the waiting list, if they keep their old place. */
  readonly waitsSince?: string;
}

/** Draws packets, and carries out the decisions of Postgres about them. */
export class Reservations {
  readonly keys: RedisKeys;
  private readonly scripts;
  private readonly sentOn: SentOnNotes;

  constructor(private readonly own: OwnRedis) {
    this.keys = own.keys;
    this.sentOn = new SentOnNotes(own);
    this.scripts = {
      grab: own.script(reservationScripts.grab),
      grabPart: own.script(reservationScripts.grabPart),
      release: own.fenced(reservationScripts.release),
      acknowledge: own.fenced(reservationScripts.acknowledge),
    };
  }

  /** Draws for users of activities of one shard, atomically; outcomes come in their order. */
  async draw(shard: number, draws: readonly Draw[]): Promise<DrawOutcome[]> {
    const keys = [this.keys.journal(shard)];
    const args: (string | number)[] = [];
    for (const draw of draws) {
      const { activityId, userIds } = draw;
      const { gate, state, packets, claims, waitlist } = this.keys.inShard(activityId, shard);
      keys.push(gate, state, packets, claims, waitlist);
      args.push(aboutDraw(draw), userIds.length, ...userIds);
    }
    args.push(this.own.installation);
    const reply = await this.scripts.grab.run(keys, args);
    const [entryId, ...answers] = (reply as string).split('\n');
    const entry = new JournalEntry(entryId!);
    return draws.flatMap(({ userIds }, i) => readOutcomes(userIds, answers.slice(3 * i, 3 * i + 3), entry));
  }

  /** Draws from parts that lie in one shard, atomically; each activity may come several times. */
  async drawFromParts(shard: number, draws: readonly PartDraw[]): Promise<PartAnswer[]> {
    const keys = [this.keys.journal(shard)];
    const args: (string | number)[] = [];
    for (const draw of draws) {
      const { activityId, parts, sendTo = '', visits = 0, userIds } = draw;
      const { state, packets, claims, waitlist, sentOn } = this.keys.inShard(activityId, shard);
      keys.push(state, packets, claims, waitlist, sentOn);
      args.push(aboutDraw(draw), parts, sendTo, visits, userIds.length, ...userIds);
    }
    args.push(this.own.installation);
    const reply = await this.scripts.grabPart.run(keys, args);
    const [entryId, ...answers] = (reply as string).split('\n');
    const entry = new JournalEntry(entryId!);
    return draws.map(({ userIds }, i) => readPartAnswer(userIds, answers.slice(5 * i, 5 * i + 5), entry));
  }

  noteSentOn(home: Place, user: SentUser, how: NoteHow): Promise<void> {
    return this.sentOn.note(home, [user], how);
  }

  async release(release: Release): Promise<void> {
    const { activityId, userId, packet, shard, fate, rightful } = release;
    // A user for whom another part was asked has never left the list.
    const waitsSince = shard === this.keys.shardOf(activityId) ? (release.waitsSince ?? '') : '';
    const { gate, packets, claims, waitlist } = this.keys.inShard(activityId, shard);
    const waiting = this.keys.waiting(shard);
    const truth = rightful ? [rightful.userId, confirmedText(rightful.packet)] : ['', ''];
    await this.scripts.release(
      shard,
      [gate, packets, claims, waitlist, waiting],
      [activityId, userId, heldText(packet), fate, ...truth, waitsSince],
    );
  }

  /** Removes journal entries that are wholly decided. */
  async acknowledge(
    shard: number,
    claims: readonly ConfirmedClaim[],
    entryIds: readonly string[],
  ): Promise<void> {
    const keys = [this.keys.journal(shard)];
    const args: (string | number)[] = [entryIds.length, ...entryIds];
    for (const [activityId, list] of byActivity(claims)) {
      const { claims, waitlist } = this.keys.inShard(activityId, shard);
      keys.push(claims, waitlist);
      args.push(list.length, ...list.flatMap(({ userId, packet }) => [userId, packetText(packet)]));
    }
    await this.scripts.acknowledge(shard, keys, args);
  }
}

/** Reads the answer of `grab.lua`. A user who taps twice in one call wins with the first tap. */
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
      entry.add(1);
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
    case 'not-yet':
      return {
        other: { kind, nextAtMs: Number(more[0]), closesAtMs: Number(more[1]) },
        moments: more.slice(2),
      };
    case 'parts':
      return { other: { kind, parts: Number(more[0]) }, moments: [] };
    case 'adding':
      return { other: { kind: 'not-loaded' }, moments: more };
    case 'sold-out':
    case 'closed':
    case 'over':
    case 'not-loaded':
      return { other: { kind }, moments: more };
    default:
      throw new TypeError(`grab.lua answered ${JSON.stringify(text)}`);
  }
}

function readPartAnswer(
  userIds: readonly string[],
  [won = '', held = '', sent = '', rest = '', left = '']: readonly string[],
  entry: JournalEntry,
): PartAnswer {
  const going = readParts(sent);
  const outcomes = readOutcomes(userIds, [won, held, rest], entry).map((outcome, i): PartOutcome => {
    const parts = going.get(userIds[i]!);
    if (parts && outcome.kind !== 'won' && outcome.kind !== 'already') return { kind: 'sent', parts };
    if (outcome.kind === 'parts') throw new TypeError(`grab-part.lua answered ${JSON.stringify(rest)}`);
    return outcome;
  });
  // An empty list that awaits packets says nothing about this part.
  const isKnown = rest === 'sold-out' || left !== '0';
  return { outcomes, left: isKnown ? Number(left) : undefined };
}

/** Reads users and their parts: `"<userId> <part>,<part>,… <userId> <part> …"` */
function readParts(text: string): Map<string, number[]> {
  const parts = new Map<string, number[]>();
  const words = text === '' ? [] : text.split(' ');
  for (let i = 0; i < words.length; i += 2) parts.set(words[i]!, words[i + 1]!.split(',').map(Number));
  return parts;
}

/** Reads users and their packets: `"<userId> <packet> <userId> <packet> …"` */
function readPackets(text: string): Map<string, HeldPacket> {
  const packets = new Map<string, HeldPacket>();
  if (text === '') return packets;
  const words = text.split(' ');
  for (let i = 0; i < words.length; i += 2) packets.set(words[i]!, parsePacket(words[i + 1]!));
  return packets;
}
