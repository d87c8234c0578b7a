import { PACE } from './channel-pace';

/** Waits between calls grow up to this, and are varied at random, by half at most. */
export const WAIT_SECONDS_MAX = 600;
const LONGEST = 1.5 * WAIT_SECONDS_MAX;

/** No payout is due further ahead, and no circuit is open for longer. */
export const DUE_SECONDS_MAX = LONGEST;
export const CIRCUIT_SECONDS_MAX = LONGEST;

/** No call lasts longer than its time-out plus this. */
export const LEASE_MARGIN_SECONDS = 5;
export const LEASE_SECONDS_MAX = PACE.timeoutMs.maximum / 1_000 + LEASE_MARGIN_SECONDS;

/** A channel is left alone for a day at most, whatever it asks for. */
export const HELD_SECONDS_MAX = 86_400;

/** Credits that cannot leave now are tried again after this time. */
export const CREDIT_SECONDS_MAX = 600;

/** A key whose first sending is further ahead than this was sent by a clock that was ahead. */
export const CLOCK_MARGIN = `interval '5 minutes'`;
