import type { FastifyInstance } from 'fastify';

/** Only the API has documented methods. Whether a page for operators is here is not revealed. */
const API = /^\/v\d+\//;

type MethodsAt = (path: string) => string[];

/** Returns a function that finds the methods of a path, for an answer to an unsupported method. */
export function watchRoutes(fastify: FastifyInstance): MethodsAt {
  const routes = new Map<string, Set<string>>();
  fastify.addHook('onRoute', ({ url, method }) => {
    if (!API.test(url)) return;
    const methods = routes.get(url) ?? new Set();
    [method].flat().forEach((one) => methods.add(one));
    routes.set(url, methods);
  });
  return (path) => [...routes].flatMap(([url, methods]) => (matches(url, path) ? [...methods] : []));
}

function matches(url: string, path: string): boolean {
  const [expected, given] = [url.split('/'), path.split('/')];
  return (
    expected.length === given.length &&
    expected.every((part, i) => part === given[i] || (part.startsWith(':') && given[i] !== ''))
  );
}
