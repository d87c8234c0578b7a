import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import { ServedText } from '../openapi/served-text';

export interface WebPage {
  readonly file: string;
  readonly routes: readonly string[];
  /** Sites that may show it in a frame, as a content security policy writes them. */
  readonly frameAncestors: string;
  /** It shows other pages of this server in frames. */
  readonly framesOwn?: boolean;
  /** Origins that the page calls besides its own. */
  readonly connectsTo?: readonly string[];
  /** A service worker that keeps the page: its file and its route, whose directory is its scope. */
  readonly worker?: { readonly file: string; readonly route: string };
  /** Settings for the page, which it reads from its own HTML. */
  readonly settings: object;
}

const NO_SETTINGS = '<meta name="hongbao" content="{}" />';

/** Each page has its own policy. Call it before `init`. */
export function serveWebPages(
  app: NestFastifyApplication,
  { directory, basePath }: { directory: string; basePath: string },
  pages: readonly WebPage[],
): void {
  if (!existsSync(directory))
    throw new Error(`There are no pages in ${directory}: run \`npm run build\`, or set WEB=off.`);
  const fastify: FastifyInstance = app.getHttpAdapter().getInstance();
  // A hash of the content is in the name of an asset, so it is never revalidated, and a first load is spared the headers
  // for that. Only the paths of the files are routes.
  void fastify.register(fastifyStatic, {
    root: join(directory, 'assets'),
    prefix: '/assets/',
    wildcard: false,
    globIgnore: ['**/*.{br,gz}'],
    index: false,
    preCompressed: true,
    maxAge: '1y',
    immutable: true,
    etag: false,
    lastModified: false,
    acceptRanges: false,
    decorateReply: false,
  });
  const textOf = (file: string) =>
    readFileSync(join(directory, file), 'utf8').replaceAll('/assets/', () => `${basePath}/assets/`);
  for (const page of pages) {
    servePage(fastify, page, textOf(page.file));
    if (page.worker) serveWorker(fastify, page.worker.route, textOf(page.worker.file));
  }
}

/** A page names the current assets, so it is revalidated each time. */
function servePage(fastify: FastifyInstance, page: WebPage, html: string): void {
  const content = withSettings(html, page.settings);
  const type = 'text/html; charset=utf-8';
  for (const route of page.routes) serve(fastify, route, { content, type, policy: policy(page) });
}

/** It asks for our own files only, as the page does. */
function serveWorker(fastify: FastifyInstance, route: string, content: string): void {
  serve(fastify, route, { content, type: 'text/javascript; charset=utf-8', policy: "default-src 'self'" });
}

interface Served {
  readonly content: string;
  readonly type: string;
  readonly policy: string;
}

function serve(fastify: FastifyInstance, route: string, { content, type, policy }: Served): void {
  const text = new ServedText(content, { 'content-type': type, 'content-security-policy': policy });
  fastify.get(route, (request, reply) => text.answer(request, reply));
}

/** A page runs our own files only, and calls our own API and `connectsTo` only. */
function policy({ frameAncestors, connectsTo = [], framesOwn = false }: WebPage): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    ["connect-src 'self'", ...connectsTo].join(' '),
    ...(framesOwn ? ["frame-src 'self'"] : []),
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${frameAncestors}`,
    "require-trusted-types-for 'script'",
  ].join('; ');
}

function withSettings(html: string, settings: object): string {
  const content = JSON.stringify(settings)
    .replace(/&/g, '&amp;')
    .replace(/"/g, '&quot;')
    .replace(/</g, '&lt;');
  return html.replace(NO_SETTINGS, () => `<meta name="hongbao" content="${content}" />`);
}
