import type { GrabOutcome } from '../../src/core/grab/tap/grab-outcome';
import { WaitingLine } from './waiting-line';

/** The answer to a tap; `unavailable`: the client was asked to come again. */
export type Answer = GrabOutcome | { readonly kind: 'unavailable' };

export type WaitAnswer =
  | { readonly kind: 'place'; readonly position: number; readonly waiting: number }
  | { readonly kind: 'nothing to wait for' | 'unavailable' };

/** The rain as seen from outside: what was ordered, and what users were told. */
export interface ModelRain {
  readonly id: string;
  /** Packet 1 is at index 0; packets of top-ups come after existing packets. */
  amountsMinor: readonly bigint[];
  /** A process died after a top-up, before it loaded the packets. */
  hasUnloadedTopUp: boolean;
  readonly scheduled: boolean;
  /** Number of parts that it is dealt over. Top-ups go to part 0, where users wait. */
  readonly parts: number;
  readonly dealt: number;
  /** The number of the packet that each user was told first. */
  readonly told: Map<string, number>;
  line: WaitingLine;
  /** A closer has begun. Unless Redis forgets that, no further user wins. */
  closing: boolean;
  /** The remainder is refunded: no further user wins, whatever Redis believes. */
  over: boolean;
}

/** The system's own facts about one rain at the moment of an answer. */
export interface Circumstances {
  /** Packets by user, as Postgres had them before the tap. */
  readonly claimed: ReadonlyMap<string, number>;
  /** The rain was open, scheduled or closed in Redis before the tap, and no fault was armed. */
  readonly undisturbed: boolean;
  /** Packets without a holder after the tap, without those kept for waiting users of parts. */
  readonly free: number;
  /** Packets that are free after the tap according to Redis. */
  readonly listed: number;
  /** Number of waiting users after the tap who come first. */
  readonly spokenFor: number;
}

/** Facts at the moment at which a user wants to wait. */
export interface WaitCircumstances extends Omit<Circumstances, 'claimed' | 'spokenFor'> {
  /** Packets without a holder; none if the rain is ending. */
  readonly free: number;
  /** Packets that are free according to Redis, in parts where no user waits. */
  readonly listedElsewhere: number;
  /** Users who have a packet, in Postgres or only in Redis. */
  readonly holders: ReadonlySet<string>;
  /** Redis has been told all that Postgres knows. */
  readonly trusted: boolean;
}

/** The whole promise: the answers that each user may get, and their money in the end. */
export class RainModel {
  readonly rains: ModelRain[] = [];
  /** Frozen users and the balances of their wallets when they were frozen. */
  readonly frozen = new Map<string, bigint>();
  /** Claims whose dead letters were resolved without a payment, or are void. */
  readonly writtenOff = new Set<string>();
  /** The sponsor's refunds for void claims. */
  voidMinor = 0n;
  /** Redis has lost something that it had acknowledged. */
  redisForgot = false;
  /** The lines by rain, after each step. */
  private readonly pastLines: Map<string, WaitingLine>[] = [];

  rain(age: number): ModelRain {
    return this.rains.at(-1 - (age % this.rains.length))!;
  }

  remember(): void {
    for (const { line } of this.rains) line.forgetLost();
    this.pastLines.push(new Map(this.rains.map(({ id, line }) => [id, line.copy()])));
  }

  /** Resets Redis to its state `steps` steps ago, or to empty. */
  forget(steps?: number): void {
    this.redisForgot = true;
    if (steps === undefined) return this.rains.forEach(({ line }) => line.lose());
    const past = this.pastLines.at(-steps);
    for (const rain of this.rains) rain.line = past?.get(rain.id)?.copy() ?? new WaitingLine();
  }

  /** @throws Lie */
  hear(rain: ModelRain, userId: string, answer: Answer, circumstances: Circumstances): void {
    const lie = this.lieIn(rain, userId, answer, circumstances);
    if (lie) throw new Lie(`${userId} in rain ${rain.id} heard ${textOf(answer)}: ${lie}`);
    if (answer.kind === 'won' || answer.kind === 'already') rain.told.set(userId, answer.packet.no);
  }

  private lieIn(rain: ModelRain, userId: string, answer: Answer, now: Circumstances): string | undefined {
    const held = now.claimed.get(userId);
    switch (answer.kind) {
      case 'won':
      case 'already':
        if (held === undefined && rain.over) return 'the rain is over';
        if ((held ?? answer.packet.no) !== answer.packet.no) return `the user has packet ${held}`;
        if ((rain.told.get(userId) ?? answer.packet.no) !== answer.packet.no)
          return `the user was told packet ${rain.told.get(userId)}`;
        if (rain.amountsMinor[answer.packet.no - 1] !== answer.packet.amountMinor) return 'a wrong amount';
        for (const [other, no] of rain.told)
          if (no === answer.packet.no && other !== userId) return `${other} was told that one`;
        if (answer.kind === 'won' && now.undisturbed && now.listed < now.spokenFor)
          return `only ${now.listed} packets are left for those who wait`;
        return undefined;
      case 'reserved':
        if ((held ?? answer.packet.no) !== answer.packet.no) return `the user has packet ${held}`;
        return now.undisturbed ? 'nothing was in the way' : undefined;
      case 'unavailable':
        return now.undisturbed ? 'nothing was in the way' : undefined;
      case 'not-open':
        return rain.scheduled ? undefined : 'the rain is open';
      case 'closed':
        if (held !== undefined) return `the user has packet ${held}`;
        return rain.closing || rain.over ? undefined : 'nobody closed it';
      case 'sold-out':
        if (held !== undefined) return `the user has packet ${held}`;
        return now.free > (rain.parts > 1 ? 0 : before(rain.line, userId)) && !rain.closing && !rain.over
          ? `${now.free} packets are free`
          : undefined;
      case 'limit':
      case 'not-yet':
        return 'the rain has no limits and no plan';
    }
  }

  /** @throws Lie */
  hearPlace(rain: ModelRain, userId: string, answer: WaitAnswer, circumstances: WaitCircumstances): void {
    const nobodyWaited = rain.line.waiters.length === 0;
    const waits = rain.line.waiters.includes(userId);
    if (answer.kind === 'place') rain.line.join(userId);
    const mayGrab = nobodyWaited || (circumstances.listedElsewhere > 0 && !waits);
    const lie = this.lieInPlace(rain, userId, answer, { nobodyWaited, mayGrab }, circumstances);
    if (lie) throw new Lie(`${userId} waits in rain ${rain.id} and heard ${JSON.stringify(answer)}: ${lie}`);
  }

  private lieInPlace(
    rain: ModelRain,
    userId: string,
    answer: WaitAnswer,
    { nobodyWaited, mayGrab }: { readonly nobodyWaited: boolean; readonly mayGrab: boolean },
    now: WaitCircumstances,
  ): string | undefined {
    const { waiters } = rain.line;
    switch (answer.kind) {
      case 'place':
        if (rain.scheduled) return 'the rain is not open';
        if (rain.over ? now.trusted : rain.closing && !this.redisForgot) return 'the rain is over';
        if (now.holders.has(userId) && now.trusted) return 'the user has a packet';
        if (mayGrab && now.free > 0 && now.undisturbed) return `${now.free} packets are free`;
        if (answer.position !== waiters.indexOf(userId) + 1 || answer.waiting !== waiters.length)
          return `those who wait are ${waiters.join()}`;
        return undefined;
      case 'nothing to wait for':
        if (rain.scheduled || rain.closing || rain.over || now.holders.has(userId)) return undefined;
        if (now.listedElsewhere > 0) return undefined;
        return nobodyWaited && now.listed > 0 ? undefined : 'there is';
      case 'unavailable':
        return now.undisturbed ? 'nothing was in the way' : undefined;
    }
  }

  /** Notes that the leader has served waiting users; `waitOn` still wait. @throws Lie */
  hearServed(rain: ModelRain, waitOn: readonly string[], now: WaitCircumstances): void {
    const before = rain.line.waiters;
    const left = before.filter((userId) => !waitOn.includes(userId));
    if ((rain.closing || rain.over) && waitOn.length === 0) return rain.line.disperse();
    const lie = this.lieInServing(before, left, now);
    if (lie)
      throw new Lie(
        `${before.join()} waited in rain ${rain.id}, ${waitOn.join() || 'nobody'} waits on: ${lie}`,
      );
    for (const userId of left) rain.line.serve(userId);
  }

  private lieInServing(
    before: readonly string[],
    left: readonly string[],
    now: WaitCircumstances,
  ): string | undefined {
    for (const userId of left) if (!now.holders.has(userId)) return `${userId} left with nothing`;
    if (!this.redisForgot && left.join() !== before.slice(0, left.length).join()) return 'not in their order';
    return now.undisturbed && left.length < before.length && now.free > now.listedElsewhere
      ? `${now.free} packets are free`
      : undefined;
  }

  /** Returns the balance that a user's wallet must hold when all payable claims are paid. */
  owedTo(userId: string): bigint {
    let owed = 0n;
    for (const rain of this.rains) {
      const no = rain.told.get(userId);
      if (no !== undefined && !this.writtenOff.has(claimKey(rain.id, no))) owed += rain.amountsMinor[no - 1]!;
    }
    return owed;
  }

  /** Returns the refund that the sponsor must get from a rain that is over. */
  remainderOf({ amountsMinor, told }: ModelRain): bigint {
    const taken = new Set(told.values());
    return amountsMinor.reduce((sum, amount, i) => (taken.has(i + 1) ? sum : sum + amount), 0n);
  }
}

/** A user was told something untrue. */
export class Lie extends Error {}

/** Number of packets that are kept for users who come first. */
function before({ waiters }: WaitingLine, userId: string): number {
  const place = waiters.indexOf(userId);
  return place >= 0 ? place : waiters.length;
}

export const claimKey = (rainId: string, packetNo: number): string => `${rainId}/${packetNo}`;

const textOf = (answer: Answer): string =>
  'packet' in answer ? `${answer.kind} ${answer.packet.no}` : answer.kind;
