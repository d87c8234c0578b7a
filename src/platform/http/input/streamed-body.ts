import { applyDecorators } from '@nestjs/common';
import { ApiBody, ApiConsumes } from '@nestjs/swagger';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';
import type { Socket } from 'node:net';
import { finished, Readable } from 'node:stream';
import { malformedRequest, requestTooLarge, wrongMediaType } from '../problems/http.error';
import { requireKnownEncoding, unpacked } from './unpacked-body';

/** The time allowed for the whole body; silence ends it sooner. */
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
 * Passes the body of a `@StreamsBody` route to `read`, as fast as that takes it, and unpacked.
 * @throws wrongMediaType, unsupportedMediaType, requestTooLarge, malformedRequest when it breaks off
 */
export async function streamedBody<Format, T>(
  request: FastifyRequest,
  formats: Formats<Format>,
  bytesMax: number,
  read: (bytes: AsyncIterable<Uint8Array>, format: Format) => Promise<T>,
): Promise<T> {
  const { body, headers, raw } = request;
  const type = mediaTypeOf(request);
  if (!(body instanceof Readable) || type === undefined) throw wrongMediaType(Object.keys(formats));
  requireKnownEncoding(headers['content-encoding']);
  patient.add(raw.socket);
  const late = setTimeout(() => body.destroy(), ARRIVES_WITHIN_MS);
  finished(body, () => {
    clearTimeout(late);
    patient.delete(raw.socket);
  });
  try {
    return await read(limited(unpacked(limited(arriving(body), bytesMax)), bytesMax), formats[type]!);
  } finally {
    drop(body, bytesMax);
  }
}

async function* arriving(body: Readable): AsyncGenerator<Uint8Array> {
  try {
    yield* body.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>;
  } catch (error) {
    throw malformedRequest('The body broke off.', { cause: error });
  }
}

async function* limited(bytes: AsyncIterable<Uint8Array>, bytesMax: number): AsyncGenerator<Uint8Array> {
  let length = 0;
  for await (const chunk of bytes) {
    length += chunk.length;
    if (length > bytesMax) throw requestTooLarge(`The body is larger than ${bytesMax} bytes.`);
    yield chunk;
  }
}

/**
 * Reads the rest of a body that was refused early. The client's next request on the connection follows it,
 * and many clients do not read an answer before they have sent everything.
 */
function drop(body: Readable, bytesMax: number): void {
  let left = bytesMax;
  body.on('data', ({ length }: Buffer) => (left -= length) < 0 && body.destroy()).resume();
}
