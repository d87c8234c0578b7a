import { spread } from '../../../../libs/redis-scripts';

/** The longest time after a release: users who were refused come back spread over it. */
export const STAGGER_MS = 5_000;

/** A late release leaves little time, and all need some of it. */
const SHARE_OF_REST = 4;

/**
 * Returns the instant at which this user should tap again after "not yet": never before the release, and for
 * each release in another order. If all came at one instant, it would be a stampede.
 */
export function staggered(userId: string, nextAtMs: number, closesAtMs: number): number {
  const windowMs = Math.min(STAGGER_MS, Math.floor((closesAtMs - nextAtMs) / SHARE_OF_REST));
  return windowMs > 0 ? nextAtMs + spread(`${nextAtMs}/${userId}`, windowMs) : nextAtMs;
}
