import { once } from 'node:events';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { FastifyReply } from 'fastify';

/** How a stream ends whose reader has gone, and one that was ended from outside. */
const LEFT = ['ERR_STREAM_PREMATURE_CLOSE', 'ABORT_ERR'];

/**
 * Answers 200 with chunks of text as they are made, and never makes the next one before the connection has room for it: a slow
 * reader costs the chunks between two of its reads, whatever the length of the whole. Resolves when nothing more is to be done.
 *
 * Until the first chunk is there, whatever goes wrong is thrown and can still be answered with a problem. Later nothing can be
 * said any more: then the connection is cut, so that no reader takes a part for the whole.
 *
 * @param signal ends it early, in the same way
 */
export async function streamAnswer(
  reply: FastifyReply,
  headers: Record<string, string>,
  chunks: AsyncIterable<string>,
  signal: AbortSignal,
): Promise<void> {
  const source = Readable.from(chunks, { objectMode: false });
  await once(source, 'readable');
  reply.hijack();
  reply.raw.writeHead(200, { ...(reply.getHeaders() as Record<string, string>), ...headers });
  if (reply.request.method === 'HEAD') {
    source.destroy();
    return void reply.raw.end();
  }
  await pipeline(source, reply.raw, { signal }).catch((error: NodeJS.ErrnoException) => {
    if (!LEFT.includes(error.code ?? '')) throw error;
  });
}
