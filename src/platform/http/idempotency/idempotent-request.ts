import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { createParamDecorator, type ExecutionContext, HttpStatus } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../auth/caller';
import { unauthenticated } from '../problems/http.error';
import { ApiProblems } from '../openapi/api-problems';
import { documentingParam } from '../input/documenting-param';
import {
  idempotencyInFlight,
  idempotencyKeyInvalid,
  idempotencyKeyMissing,
  idempotencyMismatch,
} from './idempotency.error';

const KEY_PATTERN = /^[\x21-\x7e]{8,128}$/;

/** A request that must have its effect once: the argument of `IdempotencyService.once`. */
export class IdempotentRequest {
  constructor(
    /** Owns the key: two users may choose the same one. */
    readonly caller: Caller,
    readonly key: string,
    /**
     * SHA-256 over the content: it differs if the same key is sent with another request. A body that is read
     * while it arrives is not part of it.
     */
    readonly fingerprint: Buffer,
    private readonly reply: Pick<FastifyReply, 'statusCode' | 'header'>,
  ) {}

  get status(): number {
    return this.reply.statusCode;
  }

  /** Answers 202: the request is accepted, and its result is not known yet. */
  accept(): void {
    this.reply.statusCode = HttpStatus.ACCEPTED;
  }

  replay(status: number): void {
    this.reply.statusCode = status;
    this.reply.header('Idempotency-Replayed', 'true');
  }
}

const RequestOfKey = createParamDecorator((_: unknown, context: ExecutionContext) => {
  const http = context.switchToHttp();
  return toIdempotentRequest(http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>());
});

const KEY_PROBLEMS = ApiProblems(
  idempotencyKeyMissing,
  idempotencyKeyInvalid,
  idempotencyInFlight,
  idempotencyMismatch,
);

/** No example: Swagger UI would send it each time, and most requests would be replays. */
const KEY_HEADER = ApiHeader({
  name: 'Idempotency-Key',
  required: true,
  description:
    'A key that you choose for this request, such as a UUID. Sending it again with the same body replays ' +
    'the first answer, with `Idempotency-Replayed: true`.',
  schema: { type: 'string', pattern: KEY_PATTERN.source },
});

/**
 * Requires the `Idempotency-Key` header, documents it, and passes the `IdempotentRequest`.
 *
 * @example
 * @Post()
 * deposit(@Idempotent() request: IdempotentRequest, @Body() body: DepositDto): Promise<DepositedDto> {
 *   return this.idempotency.once(request, (tx, keyId) => this.wallets.deposit(tx, body, keyId));
 * }
 */
export function Idempotent(): ParameterDecorator {
  return documentingParam(RequestOfKey(), KEY_HEADER, KEY_PROBLEMS);
}

function toIdempotentRequest(request: FastifyRequest, reply: FastifyReply): IdempotentRequest {
  const key = request.headers['idempotency-key'];
  if (key === undefined) throw idempotencyKeyMissing('Send an Idempotency-Key header.');
  if (typeof key !== 'string' || !KEY_PATTERN.test(key)) {
    throw idempotencyKeyInvalid('An Idempotency-Key has 8 to 128 visible ASCII characters.');
  }
  if (request.caller === undefined) throw unauthenticated('An Idempotency-Key belongs to a caller.');
  return new IdempotentRequest(request.caller, key, fingerprintOf(request), reply);
}

function fingerprintOf({ method, routeOptions, params, query, body }: FastifyRequest): Buffer {
  const asked = canonicalJson([
    method,
    routeOptions.url,
    params,
    query,
    body instanceof Readable ? null : body,
  ]);
  return createHash('sha256').update(asked).digest();
}

/** Sorts keys: equal content gives equal text. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => (isPlainObject(part) ? sorted(part) : part));
}

function isPlainObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function sorted(object: object): object {
  return Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)));
}
