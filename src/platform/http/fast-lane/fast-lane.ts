import type { IncomingHttpHeaders, IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Role } from '../../../../libs/roles';
import type { AppConfig } from '../../config';
import { admitted, bearerTokenOf } from '../auth/admission';
import type { Caller } from '../auth/caller';
import { TokenVerifier } from '../auth/token-verifier';
import { RequestChecks } from '../edge/request-checks';
import { headersForOrigin } from '../edge/cors';
import { isId } from '../input/ids';
import { Problems } from '../edge/problems';
import { RateLimits } from '../rate-limit/rate-limits';
import { requestId } from '../edge/request-id';
import { refuseIdentity } from '../input/unknown-input.guard';
import { LaneReply, type RawHeaders } from './lane-reply';

/** A route that the fast lane may answer: POST, without a body, about one row. */
export interface Lane {
  /** The path as it is documented. Its first group is the id. */
  readonly path: RegExp;
  readonly roles: readonly Role[];
  answerTap(
    id: string,
    caller: Caller,
    headers: IncomingHttpHeaders,
    reply: { statusCode: number },
  ): Promise<object>;
}

/**
 * Answers taps beneath Fastify and Nest (decision 47). It takes plain requests: the documented path, no
 * query, no body. All others, and all requests once the server closes, are passed to Fastify before anything
 * is counted or checked.
 *
 * It does not duplicate rules: it calls what hooks and guards call, in the same order.
 * test/rain/fast-lane.cases.ts sends requests of all kinds through both and compares the bytes.
 */
export class FastLane {
  private readonly checks: RequestChecks;
  private readonly tokens: TokenVerifier;
  private readonly limits: RateLimits;
  private readonly problems: Problems;
  /** First headers of an answer: to pages of a configured origin, and to all others. */
  private readonly toOrigins: ReadonlyMap<string, Readonly<RawHeaders>>;
  private readonly toOthers: Readonly<RawHeaders>;
  private isOpen = true;

  /** @param headers the first headers of every answer of this server, in lower case */
  constructor(
    app: NestFastifyApplication,
    private readonly lane: Lane,
    config: AppConfig,
    headers: Readonly<Record<string, string>>,
  ) {
    const begin = (origin?: string) =>
      Object.entries({ ...headersForOrigin(config, origin), ...headers }).flat();
    this.toOrigins = new Map(config.CORS_ORIGINS.map((origin) => [origin, begin(origin)]));
    this.toOthers = begin();
    [this.checks, this.tokens, this.limits] = [
      app.get(RequestChecks),
      app.get(TokenVerifier),
      app.get(RateLimits),
    ];
    this.problems = app.get(Problems);
    app
      .getHttpAdapter()
      .getInstance()
      .addHook('preClose', (done) => {
        this.isOpen = false;
        done();
      });
  }

  /** False where a collector is configured: Fastify also records spans then. */
  static suits({ OTEL_EXPORTER_OTLP_ENDPOINT }: AppConfig): boolean {
    return OTEL_EXPORTER_OTLP_ENDPOINT === undefined;
  }

  /** Puts itself in front of Fastify, before the server listens. */
  openOn(app: NestFastifyApplication): void {
    const server = app.getHttpServer();
    const [fastify] = server.listeners('request') as RequestListener[];
    server
      .removeAllListeners('request')
      .on('request', (request: IncomingMessage, response: ServerResponse) => {
        const id = this.isOpen ? this.idIn(request) : undefined;
        if (id === undefined) fastify!(request, response);
        else void this.serveRequest(id, request, response);
      });
  }

  private idIn({ method, url, headers }: IncomingMessage): string | undefined {
    if (method !== 'POST' || !hasNoBody(headers)) return undefined;
    const id = this.lane.path.exec(url!)?.[1];
    return isId(id) ? id : undefined;
  }

  private async serveRequest(id: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const reply = new LaneReply(requestId(request), this.headersTo(request), response);
    try {
      const caller = await this.admit(request, reply);
      reply.sendJson(await this.lane.answerTap(id, caller, request.headers, reply));
    } catch (error) {
      // Refusals are sent together at the end of the turn: sent singly, each wakes its client, and costs
      // twice as much.
      setImmediate(() => this.problems.sendException(error, reply, () => `POST ${request.url}`));
    }
  }

  private headersTo({ headers: { origin } }: IncomingMessage): Readonly<RawHeaders> {
    return (origin !== undefined && this.toOrigins.get(origin)) || this.toOthers;
  }

  private admit(request: IncomingMessage, reply: LaneReply): Caller | Promise<Caller> {
    this.checks.count(reply.request.id, reply);
    this.checks.address(request, reply);
    const caller = this.tokens.verify(bearerTokenOf(request.headers));
    return caller instanceof Promise
      ? caller.then((fetched) => this.enter(fetched, request, reply))
      : this.enter(caller, request, reply);
  }

  private enter(caller: Caller, { headers }: IncomingMessage, reply: LaneReply): Caller {
    const acting = admitted(caller, this.lane.roles, headers);
    this.limits.admitUser(acting, reply);
    refuseIdentity(headers);
    return acting;
  }
}

function hasNoBody({
  'content-length': length,
  'transfer-encoding': encoding,
}: IncomingMessage['headers']): boolean {
  return encoding === undefined && (length === undefined || length === '0');
}
