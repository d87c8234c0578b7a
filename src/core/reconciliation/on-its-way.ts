import type { Standing } from '../../../libs/redis-scripts';

/** The longest time into Redis for an activity, a top-up or a later end, or out of it for an ended activity. */
export const ON_ITS_WAY_MS = 60_000;

/** True when an active activity may be missing in Redis: it was just created or is ending. */
export const isOnItsWay = ({ endedAtMs, nowMs }: Standing, ageMs: number): boolean =>
  (endedAtMs === undefined ? ageMs : nowMs - endedAtMs) < ON_ITS_WAY_MS;
