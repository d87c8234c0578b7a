import { AwayNotes } from './away-notes';
import { byActivity, type ConfirmedClaim, type PartShare } from './confirmed-claim';
import type { OwnRedis } from './own-redis';
import { confirmedText } from './packet';
import type { RedisKeys } from './redis-keys';
import type { ScriptDefinition } from './script-header';
import type { DispenserStatus } from './standings';

export const loadingScripts = {
  begin: {
    name: 'load-begin',
    keys: 'state gate packets claims waitlist away',
    args: 'opensAt closesAt birth parts',
    returns: 'status packetCursor',
  },
  loadClaims: {
    name: 'load-claims',
    keys: 'claims waitlist',
    args: '(userId packet)*',
    returns: 'added',
  },
  appendPackets: {
    name: 'append-packets',
    keys: 'state packets',
    args: 'status cursorBefore cursorAfter packetText',
    returns: 'packetCursor',
  },
  open: {
    name: 'open',
    keys: 'state packets',
    args: 'packetCursor',
    returns: 'status',
  },
} satisfies Record<string, ScriptDefinition>;

/** Instants in milliseconds since the epoch. */
export interface Window {
  readonly opensAtMs: number;
  readonly closesAtMs: number;
  /** Distinguishes an activity from another one that had the same id, in a history that Postgres has lost. */
  readonly birth?: string;
  /** Over how many parts it is dealt; 1 unless given. */
  readonly parts?: number;
}

/** Packets on their way into the list, in ascending order: `<no>:<amountMinor> <no>:<amountMinor> …`, or none. */
export interface PacketPage {
  readonly text: string;
  /** How far it reaches: the packets up to here that are not in it are claimed. */
  readonly lastNo: number;
}

/** Brings an activity into Redis step by step, so that nobody draws before all of it is there. */
export class RainLoading {
  private readonly keys: RedisKeys;
  private readonly scripts;
  private readonly away: AwayNotes;

  constructor(own: OwnRedis) {
    this.keys = own.keys;
    this.away = new AwayNotes(own);
    this.scripts = own.fencedAll(loadingScripts);
  }

  /** Begins or resumes loading; resume after `packetCursor` when the status is `loading`. */
  async begin(
    activityId: string,
    { opensAtMs, closesAtMs, birth = '', parts = 1 }: Window,
    part = 0,
  ): Promise<{ status: DispenserStatus; packetCursor: number }> {
    const shard = this.keys.shardOf(activityId, part);
    const { gate, state, packets, claims, waitlist } = this.keys.inShard(activityId, shard);
    const keys = [state, gate, packets, claims, waitlist, this.keys.away(activityId, shard)];
    const reply = await this.scripts.begin(shard, keys, [opensAtMs, closesAtMs, birth, parts]);
    const [status, cursor] = reply as [DispenserStatus, string | null];
    return { status, packetCursor: Number(cursor ?? 0) };
  }

  /**
   * Writes claims that Postgres holds over whatever Redis believes, and takes their users off the waiting list. Only
   * while nobody can draw. All of them are of one part.
   */
  async loadClaims(confirmed: readonly ConfirmedClaim[], part = 0): Promise<void> {
    for (const [activityId, list] of byActivity(confirmed)) {
      const { claims, waitlist } = this.keys.activity(activityId, part);
      const fields = list.flatMap(({ userId, packet }) => [userId, confirmedText(packet)]);
      await this.scripts.loadClaims(this.keys.shardOf(activityId, part), [claims, waitlist], fields);
    }
  }

  /** What a part of an activity has to know of claims that Postgres holds. */
  async loadShare(activityId: string, { own, away }: PartShare, part: number): Promise<void> {
    await this.loadClaims(own, part);
    await this.away.note(activityId, part, away, 'known');
  }

  /** Appends packets in ascending order of their numbers. Returns where the cursor stands now. */
  loadPackets(activityId: string, cursorBefore: number, page: PacketPage, part = 0): Promise<number> {
    return this.append('loading', activityId, cursorBefore, page, part);
  }

  /** The same for packets that were added to an activity after it was opened in Redis. */
  extend(activityId: string, cursorBefore: number, page: PacketPage, part = 0): Promise<number> {
    return this.append('open', activityId, cursorBefore, page, part);
  }

  private async append(
    status: 'loading' | 'open',
    activityId: string,
    cursorBefore: number,
    { text, lastNo }: PacketPage,
    part: number,
  ): Promise<number> {
    const { state, packets } = this.keys.activity(activityId, part);
    const shard = this.keys.shardOf(activityId, part);
    const args = [status, cursorBefore, lastNo, text];
    return Number(await this.scripts.appendPackets(shard, [state, packets], args));
  }

  /** The last step of loading. Returns the status that holds now. */
  async open(activityId: string, packetCursor: number, part = 0): Promise<DispenserStatus> {
    const { state, packets } = this.keys.activity(activityId, part);
    const shard = this.keys.shardOf(activityId, part);
    return (await this.scripts.open(shard, [state, packets], [packetCursor])) as DispenserStatus;
  }
}
