import { once } from 'node:events';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { FastifyReply } from 'fastify';

/** The reader has left, or the stream was aborted. */
const LEFT = ['ERR_STREAM_PREMATURE_CLOSE', 'ABORT_ERR'];

/**
 * Answers 200 with chunks of text, each produced when the connection has room for it: a slow reader costs the
 * chunks between two of its reads. Resolves when there is nothing more to do.
 *
 * An error before the first chunk is thrown, and can still be answered with a problem. After that
 * the connection is cut, so that no reader takes a part for the whole.
 *
 * @param signal ends the answer early, in the same way
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
