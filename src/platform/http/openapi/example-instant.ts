import type { OpenAPIObject } from '@nestjs/swagger';

const HOUR_MS = 3_600_000;

/**
 * Stands for an instant that is `hoursFromNow` after the document is read: in a process that has run for days,
 * an example that was made at its start lies in the past and is refused.
 */
export const exampleInstant = (hoursFromNow: number): string => `now+${hoursFromNow}h`;

/** The document with an instant in the place of each of these, as of this moment. */
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
