import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';

const TAKES_GZIP = /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i;
const BEST = { level: constants.Z_BEST_COMPRESSION };

/** A text that browsers cache and revalidate by its tag. It is compressed once, off the event loop. */
export class ServedText {
  private readonly tag: string;
  private compressed?: Promise<Buffer>;

  constructor(
    private readonly content: string | Buffer,
    private readonly headers: Readonly<Record<string, string>>,
  ) {
    this.tag = `W/"${createHash('sha256').update(content).digest('base64url').slice(0, 20)}"`;
  }

  async answer({ headers }: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { tag } = this;
    reply.headers({ ...this.headers, 'cache-control': 'no-cache', vary: 'accept-encoding', etag: tag });
    if (headers['if-none-match']?.includes(tag)) return reply.code(304).send();
    if (!TAKES_GZIP.test(headers['accept-encoding'] ?? '')) return reply.send(this.content);
    this.compressed ??= promisify(gzip)(this.content, BEST);
    return reply.header('content-encoding', 'gzip').send(await this.compressed);
  }
}
