import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { malformedRequest, unsupportedMediaType } from '../problems/http.error';

/** The first bytes of gzip, with which no text begins. */
const GZIP = [0x1f, 0x8b];

const ENCODINGS = ['gzip', 'x-gzip', 'identity'];

/** @throws unsupportedMediaType for a `Content-Encoding` that is not unpacked */
export function requireKnownEncoding(encoding: string | undefined): void {
  if (encoding !== undefined && !ENCODINGS.includes(encoding.trim().toLowerCase()))
    throw unsupportedMediaType('Send the body uncompressed, or compressed with gzip.');
}

/**
 * Unpacks gzip by its first bytes: files are compressed before they are sent, without a header that says so, and
 * some proxies unpack a body and leave the header.
 * @throws malformedRequest
 */
export async function* unpacked(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const whole = beginningWith(GZIP.length, bytes);
  const first = await whole.next();
  if (first.done) return;
  const rest = joined(first.value, whole);
  if (GZIP.some((byte, i) => first.value[i] !== byte)) {
    yield* rest;
    return;
  }
  const gunzip = createGunzip();
  // The iteration throws the same error.
  pipeline(Readable.from(rest), gunzip, () => undefined);
  try {
    yield* gunzip as AsyncIterable<Buffer>;
  } catch (error) {
    if (!isOfZlib(error)) throw error;
    throw malformedRequest('The body begins as gzip and cannot be unpacked: it is damaged or not complete.', {
      cause: error,
    });
  }
}

const isOfZlib = (error: unknown): boolean => /^Z_/.test((error as NodeJS.ErrnoException).code ?? '');

/** Passes bytes on, with a first part of `length` unless there are fewer in all. */
export async function* beginningWith(
  length: number,
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  let held: Uint8Array | undefined = new Uint8Array();
  for await (const chunk of bytes) {
    if (held === undefined) {
      yield chunk;
      continue;
    }
    held = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
    if (held.length < length) continue;
    yield held;
    held = undefined;
  }
  if (held !== undefined && held.length > 0) yield held;
}

/** Ends the rest even if none of it is read: a stream that has a reader is closed to others. */
async function* joined(first: Uint8Array, rest: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield first;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}
