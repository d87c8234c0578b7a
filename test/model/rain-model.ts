import type { GrabOutcome } from '../../src/modules/grab/grab-outcome';
import { WaitingLine } from './waiting-line';

/** What a tap came to; `unavailable`: the client was asked to come again. */
export type Answer = GrabOutcome | { readonly kind: 'unavailable' };

/** The answer to a user who wants to wait for a packet. */
export type WaitAnswer =
  | { readonly kind: 'place'; readonly position: number; readonly waiting: number }
  | { readonly kind: 'nothing to wait for' | 'unavailable' };

/** What is known of a rain from outside: what was ordered, and what was told. */
export interface ModelRain {
  readonly id: string;
  /** Packet 1 is at index 0; packets of top-ups come after those that were there before. */
  amountsMinor: readonly bigint[];
  /** A process has died between a top-up and its loading. */
  addedInSilence: boolean;
  readonly scheduled: boolean;
  /** Over how many it is dealt; what is added is in part 0, where those who wait are served. */
  readonly parts: number;
  /** How many packets it had when it was created. */
  readonly dealt: number;
  /** The number of the packet that each user was told first. */
  readonly told: Map<string, number>;
  /** Places in it are kept by Redis alone, and forgotten with it. */
  line: WaitingLine;
  /** Somebody began to close it. Unless Redis forgets that, nobody wins any more. */
  closing: boolean;
  /** The remainder is refunded: nobody wins any more, whatever Redis believes. */
  over: boolean;
}

/** What the system itself says about one rain at the moment of an answer. */
export interface Circumstances {
  /** Packets by user, as Postgres had them before the tap. */
  readonly claimed: ReadonlyMap<string, number>;
  /** The rain was open, scheduled or closed in Redis before the tap, and nothing was made to fail. */
  readonly undisturbed: boolean;
  /**
   * Packets that nobody holds, neither in Postgres nor in Redis, after the tap; without those that Redis has not heard of
   * because the process that added them died before it told Redis. Of a rain over parts, without those that are kept for
   * users who wait.
   */
  readonly free: number;
  /** Packets that Redis takes for free after the tap. */
  readonly listed: number;
  /** How many users wait after the tap and come first: all, or those who have waited longer than the user if they wait too. */
  readonly spokenFor: number;
}

/** The same at the moment at which somebody wants to wait. */
export interface WaitCircumstances extends Omit<Circumstances, 'claimed' | 'spokenFor'> {
  /** Packets that nobody holds; none if the rain is ending. */
  readonly free: number;
  /** Packets that Redis takes for free in parts where nobody waits. */
  readonly listedElsewhere: number;
  /** Who has a packet, in Postgres or in Redis alone. */
  readonly holders: ReadonlySet<string>;
  /** Redis has been told all that Postgres knows. */
  readonly trusted: boolean;
}

/** The whole promise: what may be told to whom, and who must have how much in the end. It knows no Redis and no SQL. */
export class RainModel {
  readonly rains: ModelRain[] = [];
  /** Frozen users and what their wallets held when they froze. */
  readonly frozen = new Map<string, bigint>();
  /** Claims whose dead letters were resolved without a payment, or are void. */
  readonly writtenOff = new Set<string>();
  /** What the sponsor got back for claims that are void. */
  voidMinor = 0n;
  /** Redis has lost something that it had acknowledged. */
  redisForgot = false;
  /** The lines by rain, after each step. */
  private readonly pastLines: Map<string, WaitingLine>[] = [];

  /** 0 is the newest one. */
  rain(age: number): ModelRain {
    return this.rains.at(-1 - (age % this.rains.length))!;
  }

  /** After each step. */
  remember(): void {
    for (const { line } of this.rains) line.forgetLost();
    this.pastLines.push(new Map(this.rains.map(({ id, line }) => [id, line.copy()])));
  }

  /** Redis is what it was that many steps ago, or empty. */
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

  /** The leader has served those who wait, and some of them wait on. @throws Lie */
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

  /** What a user's wallet must hold when everything is paid that can be paid. */
  owedTo(userId: string): bigint {
    let owed = 0n;
    for (const rain of this.rains) {
      const no = rain.told.get(userId);
      if (no !== undefined && !this.writtenOff.has(claimKey(rain.id, no))) owed += rain.amountsMinor[no - 1]!;
    }
    return owed;
  }

  /** What the sponsor must get back from a rain that is over. */
  remainderOf({ amountsMinor, told }: ModelRain): bigint {
    const taken = new Set(told.values());
    return amountsMinor.reduce((sum, amount, i) => (taken.has(i + 1) ? sum : sum + amount), 0n);
  }
}

/** Somebody was told something untrue. */
export class Lie extends Error {}

/** How many packets are kept for others: for those who wait longer, or for all who wait if the user does not. */
function before({ waiters }: WaitingLine, userId: string): number {
  const place = waiters.indexOf(userId);
  return place >= 0 ? place : waiters.length;
}

export const claimKey = (rainId: string, packetNo: number): string => `${rainId}/${packetNo}`;

const textOf = (answer: Answer): string =>
  'packet' in answer ? `${answer.kind} ${answer.packet.no}` : answer.kind;
