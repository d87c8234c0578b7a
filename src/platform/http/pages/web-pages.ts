import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** One HTML file that was built, and where it is shown. */
export interface WebPage {
  readonly file: string;
  readonly routes: readonly string[];
  /** Who may show it in a frame, as a content security policy says it. */
  readonly frameAncestors: string;
  /** Origins that it asks besides its own. */
  readonly connectsTo?: readonly string[];
  /** What it should know; it finds them in its own HTML. */
  readonly settings: object;
}

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
};

/** The name of an asset says what is in it. */
const FOR_EVER = 'public, max-age=31536000, immutable';
/** A page may be kept, and is asked for again: it names the assets of the day. */
const ASK_AGAIN = 'no-cache';

const NO_SETTINGS = '<meta name="hongbao" content="{}" />';

interface Content {
  readonly plain: Buffer;
  readonly br: Buffer;
  readonly gzip: Buffer;
}

/** Serves built pages from memory, each with a policy of its own. Call it before `init`. */
export function serveWebPages(
  app: NestFastifyApplication,
  directory: string,
  pages: readonly WebPage[],
): void {
  if (!existsSync(directory))
    throw new Error(`There are no pages in ${directory}: run \`npm run build\`, or set WEB=off.`);
  const fastify: FastifyInstance = app.getHttpAdapter().getInstance();
  const assets = join(directory, 'assets');
  for (const name of readdirSync(assets).filter((file) => extname(file) in TYPES)) {
    const headers = { 'content-type': TYPES[extname(name)]!, 'cache-control': FOR_EVER };
    fastify.get(`/assets/${name}`, answerWith(readContent(join(assets, name)), headers));
  }
  for (const page of pages) {
    const { file, routes, settings } = page;
    const headers = {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': ASK_AGAIN,
      'content-security-policy': policy(page),
    };
    const content = compressed(withSettings(readFileSync(join(directory, file), 'utf8'), settings));
    for (const route of routes) fastify.get(route, answerWith(content, headers));
  }
}

/** Nothing but our own files runs, and nothing but our own API is asked. */
function policy({ frameAncestors, connectsTo = [] }: WebPage): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    ["connect-src 'self'", ...connectsTo].join(' '),
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${frameAncestors}`,
    "require-trusted-types-for 'script'",
  ].join('; ');
}

function withSettings(html: string, settings: object): Buffer {
  const content = JSON.stringify(settings)
    .replace(/&/g, '&amp;')
    .replace(/"/g, '&quot;')
    .replace(/</g, '&lt;');
  return Buffer.from(html.replace(NO_SETTINGS, () => `<meta name="hongbao" content="${content}" />`));
}

const readContent = (file: string): Content => ({
  plain: readFileSync(file),
  br: readFileSync(`${file}.br`),
  gzip: readFileSync(`${file}.gz`),
});

const compressed = (plain: Buffer): Content => ({
  plain,
  br: brotliCompressSync(plain),
  gzip: gzipSync(plain),
});

function answerWith(content: Content, headers: Readonly<Record<string, string>>) {
  const tag = `"${createHash('sha256').update(content.plain).digest('base64url').slice(0, 20)}"`;
  return (request: FastifyRequest, reply: FastifyReply): void => {
    // A weak one, because it is the same for every encoding.
    void reply.headers({ ...headers, vary: 'Accept-Encoding', etag: `W/${tag}` });
    if (request.headers['if-none-match']?.includes(tag)) return void reply.code(304).send();
    const encoding = encodingFor(request.headers['accept-encoding']);
    if (encoding) void reply.header('content-encoding', encoding);
    void reply.send(content[encoding ?? 'plain']);
  };
}

function encodingFor(accepted = ''): 'br' | 'gzip' | undefined {
  const names = accepted
    .split(',')
    .filter((one) => !/;\s*q=0(\.0*)?\s*$/.test(one))
    .map((one) => one.split(';')[0]!.trim());
  return (['br', 'gzip'] as const).find((encoding) => names.includes(encoding));
}
