import { SentOnNotes } from './sent-on-notes';
import type { ConfirmedClaim, PlaceShare } from './confirmed-claim';
import type { OwnRedis } from './own-redis';
import { confirmedText } from './packet';
import { type PacedBatch, planText } from './plan-text';
import type { Place, RedisKeys } from './redis-keys';
import type { ScriptDefinition } from './script-header';
import type { DispenserStatus } from './standings';
import { stateFormat } from './state-format';

export const loadingScripts = {
  begin: {
    name: 'load-begin',
    keys: 'state gate packets claims waitlist sentOn',
    args: 'opensAt closesAt birth parts pace stateFormat',
    returns: 'status packetCursor',
  },
  loadClaims: { name: 'load-claims', keys: 'claims waitlist', args: '(userId packet)*', returns: 'added' },
  appendPackets: {
    name: 'append-packets',
    keys: 'state packets gate',
    args: 'status cursorBefore cursorAfter pace stateFormat packetText',
    returns: 'packetCursor',
  },
  announce: { name: 'announce', keys: 'state gate', args: 'packetCount', returns: 'announced' },
  open: { name: 'open', keys: 'state packets', args: 'packetCursor', returns: 'status' },
} satisfies Record<string, ScriptDefinition>;

/** Instants in milliseconds since the epoch. */
export interface Window {
  readonly opensAtMs: number;
  readonly closesAtMs: number;
  /** Distinguishes an activity from an activity with the same id in a history that Postgres has lost. */
  readonly birth?: string;
  /** 1 unless given. */
  readonly parts?: number;
  readonly paced?: readonly PacedBatch[];
  /** See {@link stateFormat}. */
  readonly format?: number;
}

/** Packets in ascending order: `<no>:<amountMinor> <no>:<amountMinor> …`, or none. */
export interface PacketPage {
  readonly text: string;
  /** Packets up to this number that are missing here are claimed. */
  readonly lastNo: number;
  /** The plans of all packets up to `lastNo`, and perhaps of later ones. */
  readonly paced?: readonly PacedBatch[];
}

/** Brings an activity into Redis step by step, so that no user draws before all of it is there. */
export class RainLoading {
  private readonly keys: RedisKeys;
  private readonly scripts;
  private readonly sentOn: SentOnNotes;

  constructor(own: OwnRedis) {
    this.keys = own.keys;
    this.sentOn = new SentOnNotes(own);
    this.scripts = own.fencedAll(loadingScripts);
  }

  /** Resume after `packetCursor` if the status is `loading`. */
  async begin(place: Place, window: Window): Promise<{ status: DispenserStatus; packetCursor: number }> {
    const { opensAtMs, closesAtMs, birth = '', parts = 1, paced = [] } = window;
    const { gate, state, packets, claims, waitlist, sentOn } = this.keys.at(place);
    const keys = [state, gate, packets, claims, waitlist, sentOn];
    const plans = planText(paced, place.part);
    const args = [opensAtMs, closesAtMs, birth, parts, plans, stateFormat(window)];
    const reply = await this.scripts.begin(place.shard, keys, args);
    const [status, cursor] = reply as [DispenserStatus, string | null];
    return { status, packetCursor: Number(cursor ?? 0) };
  }

  /** Writes claims that Postgres holds over those in Redis. Call it only while no user can draw. */
  async loadClaims(place: Place, confirmed: readonly ConfirmedClaim[]): Promise<void> {
    if (confirmed.length === 0) return;
    const { claims, waitlist } = this.keys.at(place);
    const fields = confirmed.flatMap(({ userId, packet }) => [userId, confirmedText(packet)]);
    await this.scripts.loadClaims(place.shard, [claims, waitlist], fields);
  }

  async loadShare(place: Place, { own, elsewhere }: PlaceShare): Promise<void> {
    await this.loadClaims(place, own);
    await this.sentOn.note(place, elsewhere, 'known');
  }

  /** Takes packets in ascending order of their numbers. Returns the new position of the cursor. */
  loadPackets(place: Place, cursorBefore: number, page: PacketPage): Promise<number> {
    return this.append('loading', place, cursorBefore, page);
  }

  extend(place: Place, cursorBefore: number, page: PacketPage): Promise<number> {
    return this.append('open', place, cursorBefore, page);
  }

  /** No user of this place is answered "sold-out" until this many packets are loaded. */
  async announce(place: Place, packetCount: number): Promise<void> {
    const { state, gate } = this.keys.at(place);
    await this.scripts.announce(place.shard, [state, gate], [packetCount]);
  }

  private async append(
    status: 'loading' | 'open',
    place: Place,
    cursorBefore: number,
    { text, lastNo, paced = [] }: PacketPage,
  ): Promise<number> {
    const { state, packets, gate } = this.keys.at(place);
    const plans = planText(paced, place.part);
    const args = [status, cursorBefore, lastNo, plans, stateFormat({ paced }), text];
    return Number(await this.scripts.appendPackets(place.shard, [state, packets, gate], args));
  }

  /** Returns the status that holds now. */
  async open(place: Place, packetCursor: number): Promise<DispenserStatus> {
    const { state, packets } = this.keys.at(place);
    return (await this.scripts.open(place.shard, [state, packets], [packetCursor])) as DispenserStatus;
  }
}
