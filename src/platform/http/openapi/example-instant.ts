import type { OpenAPIObject } from '@nestjs/swagger';

const HOUR_MS = 3_600_000;

/**
 * A placeholder for `hoursFromNow` after the document is read: an example made at the start of the
 * process would soon lie in the past and be refused.
 */
export const exampleInstant = (hoursFromNow: number): string => `now+${hoursFromNow}h`;

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
