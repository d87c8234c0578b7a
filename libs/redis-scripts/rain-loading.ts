import { byActivity, type ConfirmedClaim } from './confirmed-claim';
import type { OwnRedis } from './own-redis';
import { confirmedText } from './packet';
import type { RedisKeys } from './redis-keys';
import type { ScriptDefinition } from './script-header';
import type { DispenserStatus } from './standings';

export const loadingScripts = {
  begin: {
    name: 'load-begin',
    keys: 'state gate packets claims waitlist',
    args: 'opensAt closesAt birth',
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

  constructor(own: OwnRedis) {
    this.keys = own.keys;
    this.scripts = own.fencedAll(loadingScripts);
  }

  /** Begins or resumes loading; resume after `packetCursor` when the status is `loading`. */
  async begin(
    activityId: string,
    window: Window,
  ): Promise<{ status: DispenserStatus; packetCursor: number }> {
    const { gate, state, packets, claims, waitlist } = this.keys.activity(activityId);
    const reply = await this.scripts.begin(
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
      await this.scripts.loadClaims(this.keys.shardOf(activityId), [claims, waitlist], fields);
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
    return Number(await this.scripts.appendPackets(this.keys.shardOf(activityId), [state, packets], args));
  }

  /** The last step of loading. Returns the status that holds now. */
  async open(activityId: string, packetCursor: number): Promise<DispenserStatus> {
    const { state, packets } = this.keys.activity(activityId);
    const shard = this.keys.shardOf(activityId);
    return (await this.scripts.open(shard, [state, packets], [packetCursor])) as DispenserStatus;
  }
}
