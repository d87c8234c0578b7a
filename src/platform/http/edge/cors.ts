import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { AppConfig } from '../../config';
import { EXPOSED_HEADERS } from '../openapi/describe-headers';

const PREFLIGHT_SECONDS = 600;

/** `Act-For` is missing on purpose: the token of a server does not belong in a page. */
const REQUEST_HEADERS = [
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'Last-Event-ID',
  'Packet-Password',
  'Share-Code',
  'Ticket',
  'X-Request-Id',
];

type CrossOrigin = Pick<AppConfig, 'CORS_ORIGINS'>;

/**
 * Lets pages of the configured origins call this API. They send their token themselves; cookies
 * count for nothing here, so no credentials are allowed.
 */
export function allowOrigins(app: NestFastifyApplication, { CORS_ORIGINS }: CrossOrigin): void {
  if (CORS_ORIGINS.length === 0) return;
  app.enableCors({
    origin: [...CORS_ORIGINS],
    methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
    allowedHeaders: REQUEST_HEADERS,
    exposedHeaders: [...EXPOSED_HEADERS],
    maxAge: PREFLIGHT_SECONDS,
    strictPreflight: false,
  });
}

/** Names are in lower case. Requests without an origin get some too, for the caches in between. */
export function headersForOrigin(
  { CORS_ORIGINS }: CrossOrigin,
  origin?: string,
): Readonly<Record<string, string>> {
  if (CORS_ORIGINS.length === 0) return {};
  return {
    vary: 'Origin',
    ...(origin !== undefined && CORS_ORIGINS.includes(origin) && { 'access-control-allow-origin': origin }),
    'access-control-expose-headers': EXPOSED_HEADERS.join(', '),
  };
}
