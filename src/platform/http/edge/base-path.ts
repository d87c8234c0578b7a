import type { IncomingMessage, Server } from 'node:http';

/** A proxy takes the path out of requests, or leaves it in: all else sees them without it. */
export function takeOutBasePath(server: Server, basePath: string): void {
  if (basePath === '') return;
  server.prependListener('request', (request: IncomingMessage) => {
    request.url = withoutBasePath(request.url!, basePath);
  });
}

export function withoutBasePath(url: string, basePath: string): string {
  const rest = url.slice(basePath.length);
  if (!url.startsWith(basePath) || !['', '/', '?'].includes(rest.slice(0, 1))) return url;
  return rest.startsWith('/') ? rest : `/${rest}`;
}
