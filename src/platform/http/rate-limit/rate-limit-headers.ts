import type { RateLimit } from './rate-limit';

export interface Headed {
  header(name: Lowercase<string>, value: string | number): this;
}

/** A request counts against a limit for no longer than this. */
const RESET_SECONDS = 1;

/** Shows the client how far it is from its limit. The fields of a later call win. */
export function sayLimit(reply: Headed, { perSecond }: RateLimit, left: number): void {
  reply
    .header('ratelimit-limit', perSecond)
    .header('ratelimit-remaining', Math.max(0, left))
    .header('ratelimit-reset', RESET_SECONDS);
}
