const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Windows are at most this far from now. */
export const FAR_MS = 366 * DAY_MS;

export const nextFullHour = (nowMs = Date.now()): number => {
  const at = new Date(nowMs);
  at.setMinutes(60, 0, 0);
  return at.getTime();
};

/** This time of the day, today or on the next day: always ahead. */
export function nextAt(hour: number, nowMs = Date.now()): number {
  const at = new Date(nowMs);
  at.setHours(hour, 0, 0, 0);
  if (at.getTime() <= nowMs) at.setDate(at.getDate() + 1);
  return at.getTime();
}

/**
 * The same weekday and time of the day in the week after a moment, or in the next week that is still ahead. The
 * next full hour if that is too far for any window.
 */
export function nextWeek(ms: number, nowMs = Date.now()): number {
  const at = new Date(ms);
  const weeks = Math.max(1, Math.floor((nowMs - ms) / (7 * DAY_MS)));
  at.setDate(at.getDate() + 7 * weeks);
  while (at.getTime() <= nowMs) at.setDate(at.getDate() + 7);
  return at.getTime() - nowMs > FAR_MS / 2 ? nextFullHour(nowMs) : at.getTime();
}
