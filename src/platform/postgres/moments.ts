/**
 * SQL that judges moments written by the clock of Postgres. A moment written while that clock was ahead lies
 * in the future once the clock is corrected, so a moment is accepted only as far ahead as it can validly be.
 */

/**
 * The present by the earlier of two clocks, for what cannot be undone: a clock that is ahead for a moment ends nothing.
 * @param redisSeconds the parameter with the time of Redis (`Servers.earliestSeconds`)
 */
export const presentByBoth = (redisSeconds: string, postgres = 'now()'): string =>
  `least(${postgres}, to_timestamp(${redisSeconds}))`;

/** True until the moment, unless that is further ahead than it is ever set. */
export const isToCome = (moment: string, secondsMax: number | string): string =>
  `(${moment} > now() and ${moment} <= now() + make_interval(secs => ${secondsMax}))`;

/**
 * True for this many seconds after the moment, and for a moment that is less than this many seconds ahead.
 */
export const isWithin = (moment: string, seconds: number | string): string =>
  `(${moment} > now() - make_interval(secs => ${seconds}) and ${moment} <= now() + make_interval(secs => ${seconds}))`;
