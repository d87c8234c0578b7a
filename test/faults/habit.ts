import type { Chance } from './chance';

export interface Habit {
  readonly startMs: number;
  readonly doubleClick: boolean;
  readonly again: boolean;
  /** Taps once and walks away, whatever happens. */
  readonly impatient: boolean;
  readonly curious: boolean;
}

export const habitOf = (chance: Chance, spreadMs: number): Habit => ({
  startMs: chance.integer(0, spreadMs),
  doubleClick: chance.isTrue(0.15),
  again: chance.isTrue(0.15),
  impatient: chance.isTrue(0.2),
  curious: chance.isTrue(0.4),
});

/** One user in this many taps over a WebSocket. */
const GATEWAY_USER_EVERY = 4;

/** Depends on the user id alone, so that a seed makes the same rounds as ever. */
export function tapsOverGateway(userId: string): boolean {
  let sum = 0;
  for (const letter of userId) sum += letter.codePointAt(0)!;
  return sum % GATEWAY_USER_EVERY === 0;
}
