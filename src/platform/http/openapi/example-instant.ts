const HOUR_MS = 3_600_000;

/**
 * A placeholder for `hoursFromNow` after the document is read: an example made at the start of the
 * process would soon lie in the past and be refused.
 */
export const exampleInstant = (hoursFromNow: number): string => `now+${hoursFromNow}h`;

/** Dates the examples of a document, which is the same text until the hour is over. */
export function withCurrentExamples(text: string, nowMs: number): string {
  return text.replace(/"now\+(\d+)h"/g, (_, hours) => `"${instantAt(nowMs + Number(hours) * HOUR_MS)}"`);
}

function instantAt(ms: number): string {
  const instant = new Date(ms);
  instant.setUTCMinutes(0, 0, 0);
  return instant.toISOString();
}
