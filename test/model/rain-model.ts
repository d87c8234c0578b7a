import type { GrabOutcome } from '../../src/modules/grab/grab-outcome';

/** What a tap came to; `unavailable`: the client was asked to come again. */
export type Answer = GrabOutcome | { readonly kind: 'unavailable' };

/** What is known of a rain from outside: what was ordered, and what was told. */
export interface ModelRain {
  readonly id: string;
  /** Packet 1 stands at index 0; top-ups stand behind what was there before. */
  amountsMinor: readonly bigint[];
  /** Somebody has died between a top-up and its loading. */
  addedInSilence: boolean;
  readonly scheduled: boolean;
  /** The number of the packet that each user was told first. */
  readonly told: Map<string, number>;
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
   * because whoever added them died on the way.
   */
  readonly free: number;
}

/** The whole promise: what may be told to whom, and who must have how much in the end. It knows no Redis and no SQL. */
export class RainModel {
  readonly rains: ModelRain[] = [];
  /** Frozen users and what their wallets held when they froze. */
  readonly frozen = new Map<string, bigint>();
  /** Claims whose dead letters were resolved without a payment. */
  readonly writtenOff = new Set<string>();
  /** Redis has lost something that it had acknowledged. */
  redisForgot = false;

  /** 0 is the newest one. */
  rain(age: number): ModelRain {
    return this.rains.at(-1 - (age % this.rains.length))!;
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
        if ((held ?? answer.packet.no) !== answer.packet.no) return `he has packet ${held}`;
        if ((rain.told.get(userId) ?? answer.packet.no) !== answer.packet.no)
          return `he was told packet ${rain.told.get(userId)}`;
        if (rain.amountsMinor[answer.packet.no - 1] !== answer.packet.amountMinor) return 'a wrong amount';
        for (const [other, no] of rain.told)
          if (no === answer.packet.no && other !== userId) return `${other} was told that one`;
        return undefined;
      case 'reserved':
        if ((held ?? answer.packet.no) !== answer.packet.no) return `he has packet ${held}`;
        return now.undisturbed ? 'nothing was in the way' : undefined;
      case 'unavailable':
        return now.undisturbed ? 'nothing was in the way' : undefined;
      case 'not-open':
        return rain.scheduled ? undefined : 'the rain is open';
      case 'closed':
        if (held !== undefined) return `he has packet ${held}`;
        return rain.closing || rain.over ? undefined : 'nobody closed it';
      case 'sold-out':
        if (held !== undefined) return `he has packet ${held}`;
        return now.free > 0 && !rain.closing && !rain.over ? `${now.free} packets are free` : undefined;
    }
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

  /** What the sponsor must get back of a rain that is over. */
  remainderOf({ amountsMinor, told }: ModelRain): bigint {
    const taken = new Set(told.values());
    return amountsMinor.reduce((sum, amount, i) => (taken.has(i + 1) ? sum : sum + amount), 0n);
  }
}

/** Somebody was told what is not so. */
export class Lie extends Error {}

export const claimKey = (rainId: string, packetNo: number): string => `${rainId}/${packetNo}`;

const textOf = (answer: Answer): string =>
  'packet' in answer ? `${answer.kind} ${answer.packet.no}` : answer.kind;
