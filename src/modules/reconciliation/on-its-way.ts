import type { Standing } from '../../../libs/redis-scripts';

/** How long an activity, or what is added to it, may be on its way into Redis, or an ended one out of it. */
export const ON_ITS_WAY_MS = 60_000;

/** Whether an active activity that is not open in Redis has only just been created, or is just being ended. */
export const isOnItsWay = ({ endedAtMs, nowMs }: Standing, ageMs: number): boolean =>
  (endedAtMs === undefined ? ageMs : nowMs - endedAtMs) < ON_ITS_WAY_MS;
