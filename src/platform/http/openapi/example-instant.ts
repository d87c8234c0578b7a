const HOUR_MS = 3_600_000;

/**
 * A placeholder for `hoursFromNow` after the document is read: an example made at the start of the
 * process would soon lie in the past and be refused.
 */
export const exampleInstant = (hoursFromNow: number): string => `now+${hoursFromNow}h`;

/** The same as a local time, without an offset. */
export const exampleLocalTime = (hoursFromNow: number): string => `now+${hoursFromNow}h, local`;

/** Dates the examples of a document, which is the same text until the hour is over. */
export function withCurrentExamples(text: string, nowMs: number): string {
  return text.replace(/"now\+(-?\d+)h(, local)?"/g, (_, hours: string, local?: string) => {
    const instant = instantAt(nowMs + Number(hours) * HOUR_MS);
    return `"${local ? instant.slice(0, -'.000Z'.length) : instant}"`;
  });
}

function instantAt(ms: number): string {
  const instant = new Date(ms);
  instant.setUTCMinutes(0, 0, 0);
  return instant.toISOString();
}
