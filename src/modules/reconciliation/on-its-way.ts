import type { Dispenser } from '../../../libs/redis-scripts';

/** How long an activity, or what is added to it, may be on its way into Redis, or an ended one out of it. */
export const ON_ITS_WAY_MS = 60_000;

/** Whether an active activity that is not open in Redis has only just been created, or is just being ended. */
export async function isOnItsWay(dispenser: Dispenser, activityId: string, ageMs: number): Promise<boolean> {
  const endedAtMs = await dispenser.endedAtMs(activityId);
  if (endedAtMs === undefined) return ageMs < ON_ITS_WAY_MS;
  return (await dispenser.nowMs()) - endedAtMs < ON_ITS_WAY_MS;
}
