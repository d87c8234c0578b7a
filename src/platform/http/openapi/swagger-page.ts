import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { ServedText } from './served-text';

const JAVASCRIPT = 'text/javascript; charset=utf-8';

/** Files of Swagger UI that the page loads. */
const ASSETS = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': JAVASCRIPT,
  'favicon-32x32.png': 'image/png',
};

interface OutgoingRequest {
  readonly method?: string;
  readonly headers: Record<string, string>;
}

/**
 * Gives each Execute of Swagger UI a new Idempotency-Key: a key left in the form would make the second
 * deposit a replay that looks like success.
 *
 * The text of this function runs in the browser. It must not use anything else in this file, or `randomUUID`,
 * which browsers withhold from pages without TLS.
 */
function sendFreshKey(request: OutgoingRequest): OutgoingRequest {
  const isThere = Object.keys(request.headers).some((name) => name.toLowerCase() === 'idempotency-key');
  if (request.method?.toUpperCase() !== 'POST' || isThere) return request;
  const bytes = Array.from(globalThis.crypto.getRandomValues(new Uint8Array(16)));
  request.headers['Idempotency-Key'] = bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return request;
}

const SETTINGS = {
  dom_id: '#swagger-ui',
  layout: 'BaseLayout',
  deepLinking: true,
  persistAuthorization: true,
  displayRequestDuration: true,
  defaultModelsExpandDepth: -1,
};

/** Serves Swagger UI at `/docs`, without the parts of its package that show documents of others. */
export function serveSwaggerPage(fastify: FastifyInstance, title: string, init: () => ServedText): void {
  for (const [route, directory] of [
    ['/docs', './docs/'],
    ['/docs/', './'],
  ] as const) {
    const html = new ServedText(page(title, directory), { 'content-type': 'text/html; charset=utf-8' });
    fastify.get(route, (request, reply) => html.answer(request, reply));
  }
  fastify.get('/docs/swagger-ui-init.js', (request, reply) => init().answer(request, reply));
  for (const [name, type] of Object.entries(ASSETS)) serveAsset(fastify, name, type);
}

/** Starts Swagger UI with a document. */
export const initScript = (document: string): ServedText =>
  new ServedText(
    `window.onload = () => SwaggerUIBundle({
  ...${JSON.stringify(SETTINGS)},
  presets: [SwaggerUIBundle.presets.apis],
  requestInterceptor: ${String(sendFreshKey)},
  spec: JSON.parse(${JSON.stringify(document)}),
});
`,
    { 'content-type': JAVASCRIPT },
  );

/** An asset is read when the first person opens the page. */
function serveAsset(fastify: FastifyInstance, name: string, type: string): void {
  const directory = dirname(createRequire(__filename).resolve('swagger-ui-dist/package.json'));
  let asset: ServedText | undefined;
  fastify.get(`/docs/${name}`, (request, reply) => {
    asset ??= new ServedText(readFileSync(join(directory, name)), { 'content-type': type });
    return asset.answer(request, reply);
  });
}

/** The paths are relative, because a proxy may serve everything below its own path. */
const page = (title: string, directory: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${title}</title>
<link rel="stylesheet" href="${directory}swagger-ui.css">
<link rel="icon" type="image/png" href="${directory}favicon-32x32.png">
</head>
<body style="margin: 0">
<div id="swagger-ui"></div>
<script src="${directory}swagger-ui-bundle.js"></script>
<script src="${directory}swagger-ui-init.js"></script>
</body>
</html>
`;
