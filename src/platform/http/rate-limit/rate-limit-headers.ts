import type { RateLimit } from './rate-limit';

/** An answer that takes header fields. */
export interface Headed {
  header(name: Lowercase<string>, value: string | number): this;
}

/** A request counts against a limit for no longer than this. */
const RESET_SECONDS = 1;

/**
 * Adds to an answer how far the client is from its limit, so that it need not exceed it. The fields
 * of a later call win.
 */
export function sayLimit(reply: Headed, { perSecond }: RateLimit, left: number): void {
  reply
    .header('ratelimit-limit', perSecond)
    .header('ratelimit-remaining', Math.max(0, left))
    .header('ratelimit-reset', RESET_SECONDS);
}
