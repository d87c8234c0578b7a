import { isUtf8 } from 'node:buffer';
import type { SecurityHeadersOptions } from '@nestjs/common';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest, RawServerDefault } from 'fastify';
import { repeatedKey } from '../../../../libs/repeated-key';
import type { AppConfig } from '../../config';
import { watchRoutes } from './allowed-methods';
import type { RequestChecks } from './request-checks';
import { trusted } from './client-address';
import { malformedRequest, methodNotAllowed, unsupportedMediaType } from '../problems/http.error';
import { jsonFault } from './json-fault';
import { refuseConnection } from '../problems/problem-reply';
import { requestId } from './request-id';
import { excessOfBody, excessOfQuery } from './request-bounds';
import { mayTakeLonger } from '../input/streamed-body';
import { JSON_TYPE, leaveBodiesUnread } from '../input/unread-body';

const BODY_BYTES_MAX = 16 * 1024;
/** Node's own limit, which has room for a token of 8 KiB, with groups and permissions, and other headers. */
const HEADER_BYTES_MAX = 16 * 1024;
/** The longest user id, percent-encoded. The route itself refuses a longer one, by name. */
const PARAM_LENGTH_MAX = 3 * 128;

/** The time a client has for the headers and, in all, for the whole request. */
const HEADERS_TIMEOUT_MS = 5_000;
const REQUEST_TIMEOUT_MS = 10_000;
/** Node looks for clients that overran both limits this often: its default, 30 s, is too long. */
const TIMEOUT_CHECK_MS = 1_000;
/** Silence on a connection with a request in progress. */
export const SILENCE_TIMEOUT_MS = 30_000;
/** Longer than that of load balancers, so that they close first and do not lose a request. */
const KEEP_ALIVE_TIMEOUT_MS = 65_000;

export const SERVER_TIMEOUTS = {
  headersTimeout: HEADERS_TIMEOUT_MS,
  requestTimeout: REQUEST_TIMEOUT_MS,
  keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
  connectionsCheckingInterval: TIMEOUT_CHECK_MS,
  maxHeaderSize: HEADER_BYTES_MAX,
};

type SecurityHook = Parameters<FastifyAdapter['registerSecurityHook']>[0];

/** Adds Nest's security headers to answers that do not come from Nest. */
export class ServerAdapter extends FastifyAdapter {
  private writeHeaders?: SecurityHook;

  override registerSecurityHook(hook: SecurityHook): void {
    super.registerSecurityHook(hook);
    this.writeHeaders = hook;
  }

  securityHeaders(): Record<string, string> {
    const headers: Record<string, string> = {};
    this.writeHeaders?.(undefined as never, {
      setHeader: (name, value) => (headers[name] = value),
      removeHeader: (name) => delete headers[name],
    });
    return headers;
  }
}

/** Limits everything that a client controls: bytes, seconds, and the proxies that are trusted. */
export function createFastifyAdapter(config: AppConfig): ServerAdapter {
  const adapter = new ServerAdapter({
    logger: false,
    bodyLimit: BODY_BYTES_MAX,
    routerOptions: { maxParamLength: PARAM_LENGTH_MAX },
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionTimeout: SILENCE_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    http: SERVER_TIMEOUTS,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    trustProxy: trusted(config.TRUSTED_PROXIES),
    genReqId: requestId,
    frameworkErrors: refusePath,
    clientErrorHandler: (error, socket) => {
      if (error.code !== 'ERR_HTTP_REQUEST_TIMEOUT' || !mayTakeLonger(socket))
        refuseConnection(error, socket);
    },
  });
  adapter.getInstance().decorateRequest('caller');
  return adapter;
}

/** Represents every path that the router refuses. No route has it. */
const NO_PATH = '/malformed-path';

/**
 * The router refuses some paths (bad escapes, over-long parameters) before any hook counts them.
 * They are routed again, as a path that all hooks see and the last one refuses.
 */
function refusePath(_error: Error, { raw }: FastifyRequest, reply: FastifyReply): void {
  raw.url = NO_PATH;
  reply.server.routing(raw, reply.raw);
}

/**
 * Nest's equivalent of helmet. Every header costs each grab about a microsecond, so those for
 * browsers of the last decade are left out. `upgrade-insecure-requests` would break Swagger UI over
 * HTTP.
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

/** Configures what lives in Fastify around the controllers. Call it before `init` or `listen`. */
export function configureHttp(app: NestFastifyApplication, checks: RequestChecks): void {
  app.useSecurityHeaders(SECURITY_HEADERS);
  acceptJsonOnly(app);
  const fastify = app.getHttpAdapter().getInstance();
  fastify.addHook('onRequest', (request, reply, done) => {
    checks.count(request.id, reply);
    done(isProbe(request) ? undefined : refusalBy(() => checks.address(request.raw, reply)));
  });
  fastify.addHook('onRequest', ({ url }, _reply, done) => {
    const fault = url === NO_PATH ? 'The path is not valid.' : excessOfQuery(url);
    done(fault === undefined ? undefined : malformedRequest(fault));
  });
  refuseOtherMethods(fastify);
}

/** Browsers ask by OPTIONS whether a page may call. */
function refuseOtherMethods(fastify: FastifyInstance): void {
  const methodsAt = watchRoutes(fastify);
  fastify.addHook('onRequest', ({ method, url, is404 }, reply, done) => {
    const methods = is404 && method !== 'OPTIONS' ? methodsAt(url.split('?', 1)[0]!) : [];
    if (methods.length === 0) return done();
    void reply.header('allow', methods.join(', '));
    done(methodNotAllowed(`This path has ${methods.join(', ')}.`));
  });
}

/** An error that a hook throws, and does not pass on as an argument, ends the process. */
function refusalBy(check: () => void): Error | undefined {
  try {
    check();
    return undefined;
  } catch (refusal) {
    return refusal as Error;
  }
}

function isProbe({ routeOptions }: FastifyRequest): boolean {
  return 'probe' in routeOptions.config;
}

/** A key that would change the prototype of an object is the only possible fault of valid JSON. */
const FORBIDDEN_KEY =
  'The body has a key that is not allowed: "__proto__", or a "prototype" in a "constructor".';

/** Which value counts would depend on the reader. */
function repetitionIn(text: string): string | undefined {
  const key = repeatedKey(text);
  return key === undefined ? undefined : `The body has ${JSON.stringify(key)} twice.`;
}

const faultOfBytes = (encoding: string | undefined): Error =>
  encoding === undefined
    ? malformedRequest('The body is not UTF-8.')
    : unsupportedMediaType('Send the body uncompressed, without a Content-Encoding.');

/**
 * JSON is the only body that we read at once; an empty one counts as none. Nesting and the number of values
 * are bounded, because validation and fingerprints walk the whole body recursively.
 */
function acceptJsonOnly(app: NestFastifyApplication): void {
  const fastify = app.getHttpAdapter().getInstance();
  const parseJson = fastify.getDefaultJsonParser('error', 'error');
  app.useBodyParser<RawServerDefault>(JSON_TYPE, { bodyLimit: BODY_BYTES_MAX }, (request, body, done) => {
    if (body.length === 0) return done(null, undefined);
    // Bytes in another encoding would be replaced, and stored like that forever.
    if (!isUtf8(body)) return done(faultOfBytes(request.headers['content-encoding']));
    const text = body.toString();
    void parseJson(request, text, (error, value: unknown) => {
      const fault = error ? (jsonFault(text) ?? FORBIDDEN_KEY) : (excessOfBody(value) ?? repetitionIn(text));
      done(fault === undefined ? null : malformedRequest(fault), value);
    });
  });
  fastify.removeContentTypeParser('text/plain');
  leaveBodiesUnread(fastify);
}
