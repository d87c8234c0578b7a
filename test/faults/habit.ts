import type { Chance } from './chance';

export interface Habit {
  readonly startMs: number;
  readonly doubleClick: boolean;
  readonly again: boolean;
  /** Taps once and walks away, whatever the answer. */
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

/** If tickets may ask for a hold, one user in this many has such a ticket. */
const HELD_USER_EVERY = 5;

/** Depends only on the user id, so that a seed always gives the same rounds. */
export const tapsOverGateway = (userId: string): boolean => sumOf(userId) % GATEWAY_USER_EVERY === 0;

export const isToBeHeld = (userId: string): boolean => sumOf(userId) % HELD_USER_EVERY === 0;

const sumOf = (userId: string): number =>
  Array.from(userId, (letter) => letter.codePointAt(0)!).reduce((sum, code) => sum + code, 0);
