import type { OpenAPIObject } from '@nestjs/swagger';

const HOUR_MS = 3_600_000;

/**
 * A placeholder for the instant `hoursFromNow` after the document is read. In a process that has
 * run for days, an example that was made at its start lies in the past and is refused.
 */
export const exampleInstant = (hoursFromNow: number): string => `now+${hoursFromNow}h`;

/** Returns the document with each placeholder replaced by an instant, as of this moment. */
export function withCurrentExamples(document: OpenAPIObject, nowMs = Date.now()): OpenAPIObject {
  const text = JSON.stringify(document).replace(
    /"now\+(\d+)h"/g,
    (_, hours) => `"${instantAt(nowMs + Number(hours) * HOUR_MS)}"`,
  );
  return JSON.parse(text) as OpenAPIObject;
}

function instantAt(ms: number): string {
  const instant = new Date(ms);
  instant.setUTCMinutes(0, 0, 0);
  return instant.toISOString();
}
