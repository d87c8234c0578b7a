/**
 * SQL that judges moments which the clock of Postgres has written. One that was written while that clock was
 * ahead lies in the future after it was set right, so a moment is believed only as far ahead as it can be set.
 */

/** True until the moment, unless that is further ahead than it is ever set. */
export const isToCome = (moment: string, secondsMax: number | string): string =>
  `(${moment} > now() and ${moment} <= now() + make_interval(secs => ${secondsMax}))`;

/** True for so many seconds after the moment, and for a moment that is less than so many seconds ahead. */
export const isWithin = (moment: string, seconds: number | string): string =>
  `(${moment} > now() - make_interval(secs => ${seconds}) and ${moment} <= now() + make_interval(secs => ${seconds}))`;
