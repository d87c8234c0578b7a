import type { OpenAPIObject } from '@nestjs/swagger';
import { PROBE_MARK } from '../problems/marks';
import { type Described, operationsOf, parameterOf } from './operations';

const integer = (minimum: number) => ({ type: 'integer' as const, minimum });

/** All headers that an answer may have, except those about its body or for browsers. */
const HEADERS = {
  'X-Request-Id': {
    description:
      'The id of this request in the logs: the id that was sent, if it is usable, otherwise a new one.',
    schema: { type: 'string' as const },
  },
  'RateLimit-Limit': {
    description: 'Requests per second that this user may make; without a token, this address.',
    schema: integer(1),
  },
  'RateLimit-Remaining': {
    description: 'Remaining requests, as far as this process knows about other processes.',
    schema: integer(0),
  },
  'RateLimit-Reset': { description: 'Seconds until the full number is available again.', schema: integer(1) },
  'Retry-After': {
    description: 'Seconds to wait before the request is repeated. Missing if waiting does not help.',
    schema: integer(1),
  },
  'WWW-Authenticate': {
    description: 'The authentication scheme.',
    schema: { type: 'string' as const, enum: ['Bearer'] },
  },
  Upgrade: {
    description: 'The protocol to upgrade to.',
    schema: { type: 'string' as const, enum: ['websocket'] },
  },
  'Idempotency-Replayed': {
    description:
      'The `Idempotency-Key` is known: this repeats the first answer, and the request had no further effect.',
    schema: { type: 'string' as const, enum: ['true'] },
  },
};

type Header = keyof typeof HEADERS;

const RATE_LIMIT: Header[] = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'];

const BY_STATUS: Record<string, Header[]> = {
  401: ['WWW-Authenticate'],
  409: ['Retry-After'],
  426: ['Upgrade'],
  429: ['Retry-After'],
  503: ['Retry-After'],
};

/** The headers of an answer that scripts of allowed origins may read. */
export const EXPOSED_HEADERS: readonly string[] = [...Object.keys(HEADERS), 'Location'];

export function describeHeaders(document: OpenAPIObject): void {
  const used = new Set(operationsOf(document).flatMap(describe));
  const headers = Object.fromEntries(Object.entries(HEADERS).filter(([name]) => used.has(name as Header)));
  Object.assign(document.components!, { headers });
}

/** Returns the headers that the operation used. */
function describe(described: Described): Header[] {
  return Object.entries(described.operation.responses).flatMap(([status, response]) => {
    const { headers } = response as { headers?: object };
    const names = headersOf(described, status);
    const named = names.map((name) => [name, referenceTo(name)] as const);
    Object.assign(response!, { headers: { ...headers, ...Object.fromEntries(named) } });
    return names;
  });
}

const referenceTo = (header: Header) => ({ $ref: `#/components/headers/${header}` });

function headersOf({ operation }: Described, status: string): Header[] {
  const isReplayable = status.startsWith('2') && parameterOf(operation, 'Idempotency-Key') !== undefined;
  return [
    'X-Request-Id',
    ...(operation[PROBE_MARK] ? [] : RATE_LIMIT),
    ...(BY_STATUS[status] ?? []),
    ...(isReplayable ? (['Idempotency-Replayed'] as const) : []),
  ];
}
