import type { Chance } from './chance';
import { type Habit, habitOf } from './habit';
import type { Kind } from './kind';
import { SHARDS } from './service';
import type { Terms } from './terms';
import { userIdOf } from './user-id';

const OPENS_LATE_MS = 1_000;
/** Extra time if Redis forgets: the draws of later users reveal it. */
const LATECOMERS_MS = 1_000;

export interface Plan {
  readonly packets: number;
  readonly spreadMs: number;
  readonly strikeAtMs: number;
  readonly opensInMs: number;
  readonly closesByClock: boolean;
  readonly strikesTwice: boolean;
  /** Number of packets that are added after the first crowd has tapped; 0 for none. */
  readonly topUp: number;
  /** Users come again while packets are being added, not only after waiting users have been served. */
  readonly hurries: boolean;
  readonly beside: readonly number[];
  readonly users: ReadonlyMap<string, Habit>;
}

export function planOf(
  chance: Chance,
  kind: Kind,
  prefix: string,
  { limit, pace, rehearses, currencies }: Terms,
): Plan {
  const packets = chance.integer(60, 160);
  const userCount = Math.ceil(packets * (kind.sellsOut || chance.isTrue(0.5) ? 1.3 : 0.75));
  const spreadMs = chance.integer(700, 1200) + (kind.amnesia ? LATECOMERS_MS : 0);
  // Another version may accept fewer ids.
  const named = kind.needsOtherVersion ? (name: string) => name : userIdOf;
  const users = Array.from(
    { length: userCount },
    (_, i) => [named(`${prefix}-u${i}`, i), habitOf(chance, spreadMs)] as const,
  );
  const closesByClock =
    chance.isTrue(0.2) &&
    pace === undefined &&
    ![kind.closesEarly, kind.closedByHand, kind.sellsOut, kind.stepsClock, kind.paysOut].includes(true) &&
    kind.cure === undefined;
  // Some users come before a plan begins.
  const opensInMs = kind.opensLate || pace ? OPENS_LATE_MS : 0;
  const strikeInMs = chance.integer(50, Math.round(kind.amnesia ? spreadMs / 2 : spreadMs * 1.2));
  const plan = {
    packets,
    spreadMs,
    // A rain that is closed before its opening has no winner.
    strikeAtMs: kind.closesEarly ? opensInMs + strikeInMs : strikeInMs,
    opensInMs,
    closesByClock,
    strikesTwice: chance.isTrue(0.25),
    users: new Map(users),
    topUp:
      kind.sellsOut || (!closesByClock && !kind.closesEarly && chance.isTrue(0.4))
        ? chance.integer(5, 30)
        : 0,
    hurries: chance.isTrue(0.5),
    beside: kind.cure === undefined && chance.isTrue(0.25) ? besideOf(chance) : [],
  };
  // More rains than a user may win in, a rehearsal, or one rain in each currency.
  const beside = Math.max(limit?.wins ?? 0, rehearses ? 1 : 0, currencies ? 2 : 0, plan.beside.length);
  while (plan.beside.length < beside) plan.beside.push(besidePackets(chance));
  return plan;
}

/** One to three more rains, with so few packets that most of them sell out. */
const besideOf = (chance: Chance): number[] =>
  Array.from({ length: chance.integer(1, 3) }, () => besidePackets(chance));

const besidePackets = (chance: Chance): number => chance.integer(15, 40);

const DEALT_SHARE = 0.3;

/** The number of parts of each of a round's `count` activities, the harmed one first. */
export function partsOf(chance: Chance, { overParts, needsOtherVersion }: Kind, count: number): number[] {
  const canBe = overParts !== false && !needsOtherVersion;
  return Array.from({ length: count }, (_, i) => {
    const isDealt = chance.isTrue(i === 0 && overParts ? 1 : DEALT_SHARE);
    const parts = chance.integer(2, SHARDS);
    return canBe && isDealt ? parts : 1;
  });
}
