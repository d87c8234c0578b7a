import type { RateLimit } from './rate-limit';

/** An answer that takes header fields. */
export interface Headed {
  header(name: string, value: string | number): this;
}

/** No request weighs on a limit for longer. */
const RESET_SECONDS = 1;

/** Says in an answer how far the client is from its limit, so that it need not run into it. The fields of a later call win. */
export function sayLimit(reply: Headed, { perSecond }: RateLimit, left: number): void {
  reply
    .header('RateLimit-Limit', perSecond)
    .header('RateLimit-Remaining', Math.max(0, left))
    .header('RateLimit-Reset', RESET_SECONDS);
}
