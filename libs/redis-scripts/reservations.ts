import { byActivity, type ConfirmedClaim } from './confirmed-claim';
import type { JournalEntry } from './journal-entry';
import type { OwnRedis } from './own-redis';
import { confirmedText, heldText, packetText, parsePacket, type HeldPacket, type Packet } from './packet';
import type { RedisKeys } from './redis-keys';
import { Script } from './script';
import type { ScriptDefinition } from './script-header';

export const reservationScripts = {
  grab: {
    name: 'grab',
    keys: 'journal (gate state packets claims waitlist)*',
    args: '(activityId userCount userId*)* owner',
    returns: 'lines: journalEntryId (won held rest)*',
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

/** Draws packets, and carries out what Postgres decides about them. */
export class Reservations {
  readonly keys: RedisKeys;
  private readonly scripts;

  constructor(private readonly own: OwnRedis) {
    this.keys = own.keys;
    this.scripts = {
      grab: new Script(own.redis, reservationScripts.grab),
      release: own.fenced(reservationScripts.release),
      acknowledge: own.fenced(reservationScripts.acknowledge),
    };
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
    args.push(this.own.installation);
    const [entryId, ...answers] = ((await this.scripts.grab.run(keys, args)) as string).split('\n');
    const entry: JournalEntry = { shard, id: entryId!, undecided: 0 };
    return draws.flatMap(({ userIds }, i) => readOutcomes(userIds, answers.slice(3 * i, 3 * i + 3), entry));
  }

  async release({ activityId, userId, packet, fate, rightful, waitsSince = '' }: Release): Promise<void> {
    const { gate, packets, claims, waitlist } = this.keys.activity(activityId);
    const waiting = this.keys.waiting(this.keys.shardOf(activityId));
    const truth = rightful ? [rightful.userId, confirmedText(rightful.packet)] : ['', ''];
    await this.scripts.release(
      this.keys.shardOf(activityId),
      [gate, packets, claims, waitlist, waiting],
      [activityId, userId, heldText(packet), fate, ...truth, waitsSince],
    );
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
    await this.scripts.acknowledge(shard, keys, args);
  }
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
