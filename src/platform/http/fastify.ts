import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { SecurityHeadersOptions } from '@nestjs/common';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest, RawServerDefault } from 'fastify';
import type { AppConfig, TrustedProxies } from '../config';
import { bearerToken } from './auth/bearer-token';
import type { TokenVerifier } from './auth/token-verifier';
import type { HttpMetrics } from './http-metrics';
import { malformedRequest, rateLimited, unsupportedMediaType } from './http.error';
import { refuseConnection } from './problem-reply';
import { addressKey } from './rate-limit/address-key';
import type { RateLimit } from './rate-limit/rate-limit';
import { sayLimit } from './rate-limit/rate-limit-headers';
import type { RateLimits } from './rate-limit/rate-limits';
import { excessOfBody, excessOfQuery } from './request-bounds';

const BODY_BYTES_MAX = 16 * 1024;
const HEADER_BYTES_MAX = 8 * 1024;
/** The longest user id with every character percent-encoded. The route refuses a longer one, and names it. */
const PARAM_LENGTH_MAX = 3 * 128;

/** A client gets this long for the headers and, in all, for the whole request. */
const HEADERS_TIMEOUT_MS = 5_000;
const REQUEST_TIMEOUT_MS = 10_000;
/** How often Node looks for clients that overran the two limits above; its default of 30 s would make them lies. */
const TIMEOUT_CHECK_MS = 1_000;
/** Silence on a connection with a request under way. */
export const SILENCE_TIMEOUT_MS = 30_000;
/** Silence between requests; longer than load balancers keep theirs, so that they close first and lose no request. */
const KEEP_ALIVE_TIMEOUT_MS = 65_000;

/** Of every server that this process opens. */
export const SERVER_TIMEOUTS = {
  headersTimeout: HEADERS_TIMEOUT_MS,
  requestTimeout: REQUEST_TIMEOUT_MS,
  keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
  connectionsCheckingInterval: TIMEOUT_CHECK_MS,
  maxHeaderSize: HEADER_BYTES_MAX,
};

const REQUEST_ID = /^[A-Za-z0-9._-]{1,64}$/;

/** Fastify with a limit on everything a client decides: bytes, seconds, and whose word about addresses counts. */
export function createFastifyAdapter(config: AppConfig): FastifyAdapter {
  const adapter = new FastifyAdapter({
    logger: false,
    bodyLimit: BODY_BYTES_MAX,
    routerOptions: { maxParamLength: PARAM_LENGTH_MAX },
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionTimeout: SILENCE_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    http: SERVER_TIMEOUTS,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    trustProxy: trustProxy(config.TRUSTED_PROXIES),
    genReqId: requestId,
    frameworkErrors: refusePath,
    clientErrorHandler: refuseConnection,
  });
  adapter.getInstance().decorateRequest('caller');
  return adapter;
}

/** Stands for every path that the router refuses. No route has it. */
const NO_PATH = '/malformed-path';

/**
 * The router refuses some paths (bad escapes, over-long parameters) before any hook has run: nobody would count them. They
 * are routed once more, as a path that all hooks see and the last of them refuses.
 */
function refusePath(_error: Error, { raw }: FastifyRequest, reply: FastifyReply): void {
  raw.url = NO_PATH;
  reply.server.routing(raw, reply.raw);
}

/**
 * Nest's own equivalent of helmet. Every header costs each grab about a microsecond, so those that only repeat the policy
 * for browsers of the last decade are left out. `upgrade-insecure-requests` would break Swagger UI over plain HTTP.
 */
const SECURITY_HEADERS = {
  contentSecurityPolicy: { directives: { upgradeInsecureRequests: null, frameAncestors: "'none'" } },
  crossOriginOpenerPolicy: false,
  originAgentCluster: false,
  xDnsPrefetchControl: false,
  xDownloadOptions: false,
  xFrameOptions: false,
  xPermittedCrossDomainPolicies: false,
  xXssProtection: false,
} satisfies SecurityHeadersOptions;

/** Everything around the controllers that lives in Fastify. Call it before `init` or `listen`. */
export function configureHttp(
  app: NestFastifyApplication,
  limits: RateLimits,
  tokens: TokenVerifier,
  metrics: HttpMetrics,
): void {
  app.useSecurityHeaders(SECURITY_HEADERS);
  acceptJsonOnly(app);
  const fastify = app.getHttpAdapter().getInstance();
  fastify.addHook('onRequest', (request, reply, done) => {
    metrics.countRequest();
    reply.header('X-Request-Id', request.id).header('Cache-Control', 'no-store');
    done();
  });
  fastify.addHook('onRequest', addressRateLimit(limits.address, tokens));
  fastify.addHook('onRequest', ({ url }, _reply, done) => {
    const fault = url === NO_PATH ? 'The path is not valid.' : excessOfQuery(url);
    done(fault === undefined ? undefined : malformedRequest(fault));
  });
}

/**
 * First of all refusals, and the cheapest: before the body is read or a token is looked at. A server asks for many users
 * from one address, and each of them has a limit of their own: its token, once verified, opens the way beyond this one.
 */
function addressRateLimit(limit: RateLimit, tokens: TokenVerifier) {
  const isServer = ({ headers }: FastifyRequest): boolean => {
    const token = bearerToken(headers);
    return token !== undefined && tokens.isKnownServer(token);
  };
  return (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void => {
    if (isProbe(request)) return done();
    const left = limit.take(addressKey(request.ip));
    sayLimit(reply, limit, left);
    if (left >= 0 || isServer(request)) return done();
    done(rateLimited('Too many requests from this address.', { retryAfterSeconds: 1 }));
  };
}

function isProbe({ routeOptions }: FastifyRequest): boolean {
  return 'probe' in routeOptions.config;
}

/**
 * JSON is the only body we read. Clients that set its content type on every POST send it with an empty body too; that
 * is no body at all. Nesting and the number of values are bounded, because what follows (validation, fingerprints) walks
 * the whole body recursively.
 */
function acceptJsonOnly(app: NestFastifyApplication): void {
  const fastify = app.getHttpAdapter().getInstance();
  const parseJson = fastify.getDefaultJsonParser('error', 'error');
  app.useBodyParser<RawServerDefault>(
    'application/json',
    { bodyLimit: BODY_BYTES_MAX },
    (request, body, done) => {
      if (body.length === 0) return done(null, undefined);
      void parseJson(request, body.toString(), (error, value: unknown) => {
        const excess = error ? undefined : excessOfBody(value);
        done(excess === undefined ? error : malformedRequest(excess), value);
      });
    },
  );
  fastify.removeContentTypeParser('text/plain');
  app.useBodyParser('application/x-www-form-urlencoded', {}, (_request, _body, done) => {
    done(unsupportedMediaType('Send the body as application/json.'));
  });
}

/**
 * Fastify itself takes a number of hops and then trusts nobody, since it cannot know that the nearest peer is a proxy.
 * A number of hops configured here says so: this port is reachable through that many proxies only.
 */
function trustProxy(trusted: TrustedProxies): string[] | ((address: string, hop: number) => boolean) | false {
  if (typeof trusted === 'number') return (_address, hop) => hop < trusted;
  return trusted.length > 0 && trusted;
}

function requestId({ headers }: IncomingMessage): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
}
