import type { OpenAPIObject } from '@nestjs/swagger';
import { operationsOf, parameterOf } from './operations';

interface OutgoingRequest {
  readonly method?: string;
  readonly headers: Record<string, string>;
}

/**
 * Gives each Execute of Swagger UI a new Idempotency-Key: one that stayed in the form would make
 * the second deposit a replay that looks like success.
 *
 * The text of this function runs in the browser. It must use nothing of this file, and no
 * `randomUUID`, which browsers withhold from pages without TLS.
 */
export function sendFreshKey(request: OutgoingRequest): OutgoingRequest {
  const isThere = Object.keys(request.headers).some((name) => name.toLowerCase() === 'idempotency-key');
  if (request.method?.toUpperCase() !== 'POST' || isThere) return request;
  const bytes = Array.from(globalThis.crypto.getRandomValues(new Uint8Array(16)));
  request.headers['Idempotency-Key'] = bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return request;
}

/** Swagger UI sends nothing while a required field is empty. */
export function keyMayBeLeftOut(document: OpenAPIObject): OpenAPIObject {
  for (const { operation } of operationsOf(document)) {
    const key = parameterOf(operation, 'Idempotency-Key');
    if (!key) continue;
    key.required = false;
    key.description = 'Leave it empty for a new one with each Execute. Type one to see it replayed.';
  }
  return document;
}
