import type { Standings } from '../../../libs/redis-scripts';

/** How long an activity, or what is added to it, may be on its way into Redis, or an ended one out of it. */
export const ON_ITS_WAY_MS = 60_000;

/** Whether an active activity that is not open in Redis has only just been created, or is just being ended. */
export async function isOnItsWay(standings: Standings, activityId: string, ageMs: number): Promise<boolean> {
  const endedAtMs = await standings.endedAtMs(activityId);
  if (endedAtMs === undefined) return ageMs < ON_ITS_WAY_MS;
  return (await standings.nowMs()) - endedAtMs < ON_ITS_WAY_MS;
}
