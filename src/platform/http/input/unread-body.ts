import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Readable } from 'node:stream';
import { wrongMediaType } from '../problems/http.error';
import { mediaTypeOf, streamedTypes } from './streamed-body';

export const JSON_TYPE = 'application/json';

/**
 * Represents a body of a media type that no route reads. Many clients name a type even if they send no bytes,
 * so the guard for unknown input judges it: it knows whether the route takes a body.
 */
export class UnreadBody {
  constructor(readonly isEmpty: boolean) {}
}

/** Hides types from Fastify, which refuses unknown and malformed types even if there is no body. */
export function leaveBodiesUnread(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, _reply, done) => {
    const [type, streamed] = [mediaTypeOf(request), streamedTypes(request)];
    if (type === undefined || streamed?.includes(type)) return done();
    if (streamed) return done(wrongMediaType(streamed));
    request.raw.headers['content-type'] = type === JSON_TYPE ? JSON_TYPE : undefined;
    if (type !== JSON_TYPE) request.body = new UnreadBody(true);
    done();
  });
  fastify.addContentTypeParser('*', async (request: FastifyRequest, payload: Readable) => {
    if (streamedTypes(request)) return payload;
    const isEmpty = await hasNoByte(request, payload);
    payload.resume();
    return isEmpty ? request.body : new UnreadBody(false);
  });
}

async function hasNoByte({ headers }: FastifyRequest, payload: Readable): Promise<boolean> {
  if (headers['transfer-encoding'] === undefined) return headers['content-length'] === '0';
  const { done } = await payload.iterator({ destroyOnReturn: false }).next();
  return done === true;
}
