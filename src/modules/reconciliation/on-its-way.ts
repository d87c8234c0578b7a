import type { Standing } from '../../../libs/redis-scripts';

/**
 * The longest time for an activity or a top-up to come into Redis, or for an ended activity to
 * leave it.
 */
export const ON_ITS_WAY_MS = 60_000;

/**
 * Returns true when an active activity that is not open in Redis was only just created, or is just
 * being ended.
 */
export const isOnItsWay = ({ endedAtMs, nowMs }: Standing, ageMs: number): boolean =>
  (endedAtMs === undefined ? ageMs : nowMs - endedAtMs) < ON_ITS_WAY_MS;
