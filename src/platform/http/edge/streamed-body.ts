import { applyDecorators } from '@nestjs/common';
import { ApiBody, ApiConsumes } from '@nestjs/swagger';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { malformedRequest, requestTooLarge, wrongMediaType } from './http.error';

/** The whole body may take so long; silence ends it sooner. */
const ARRIVES_WITHIN_MS = 600_000;

type Formats<Format> = Readonly<Record<string, Format>>;

/** Connections on which a body may take longer than other requests. */
const patient = new WeakSet<Socket>();

export const mayTakeLonger = (socket: Socket): boolean => patient.has(socket);

/** Marks a route that reads its body while it arrives, in one of these media types. */
export function StreamsBody(formats: Formats<string>): MethodDecorator {
  return applyDecorators(
    RouteConfig({ streams: Object.keys(formats) }),
    ApiConsumes(...Object.keys(formats)),
    ApiBody({ schema: { type: 'string', format: 'binary' } }),
  );
}

/** Undefined where the route does not read its body while it arrives. */
export const streamedTypes = ({ routeOptions }: FastifyRequest): readonly string[] | undefined =>
  (routeOptions.config as { readonly streams?: readonly string[] }).streams;

export const mediaTypeOf = ({ headers }: FastifyRequest): string | undefined =>
  headers['content-type']?.split(';', 1)[0]!.trim().toLowerCase();

/**
 * Passes the body of a `@StreamsBody` route to `read`, as fast as that takes it.
 * @throws wrongMediaType, requestTooLarge, malformedRequest when it breaks off
 */
export async function streamedBody<Format, T>(
  request: FastifyRequest,
  formats: Formats<Format>,
  bytesMax: number,
  read: (bytes: AsyncIterable<Uint8Array>, format: Format) => Promise<T>,
): Promise<T> {
  const { body, raw } = request;
  const type = mediaTypeOf(request);
  if (!(body instanceof Readable) || type === undefined) throw wrongMediaType(Object.keys(formats));
  patient.add(raw.socket);
  const late = setTimeout(() => body.destroy(), ARRIVES_WITHIN_MS);
  try {
    return await read(bounded(body, bytesMax), formats[type]!);
  } finally {
    clearTimeout(late);
    patient.delete(raw.socket);
  }
}

async function* bounded(body: Readable, bytesMax: number): AsyncGenerator<Uint8Array> {
  let length = 0;
  const source = body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
  try {
    for await (const chunk of source) {
      length += chunk.length;
      if (length > bytesMax) throw requestTooLarge(`The body is larger than ${bytesMax} bytes.`);
      yield chunk;
    }
  } catch (error) {
    if (length > bytesMax || body.readableEnded) throw error;
    throw malformedRequest('The body broke off.', { cause: error });
  }
}
