/**
 * Serves the page of a rain again where there is no network. It keeps the page with its scripts
 * and style, and never an answer of the API: those hold what belongs to one user.
 *
 * The build writes the names of the assets here, so a new version of the page is a new worker, with
 * a cache of its own.
 */
declare const FIRST: readonly string[];
/** The assets that the page loads when a player wants them, whatever the network is like by then. */
declare const LATER: readonly string[];

const ASSETS = [...FIRST, ...LATER];
const CACHE = `hongbao${ASSETS.join()}`;

/** The page is the same for all activities, so any name below the scope brings it. */
const SHELL = 'shell';

/** A page that has not arrived by then is served from the cache. */
const PAGE_WITHIN_MS = 4_000;

interface Lasting extends Event {
  waitUntil(work: Promise<unknown>): void;
}

interface Asked extends Lasting {
  readonly request: Request;
  respondWith(answer: Promise<Response>): void;
}

/** The part of `ServiceWorkerGlobalScope` that is used; its types exclude those of pages. */
interface Scope {
  addEventListener(type: 'install' | 'activate', listener: (event: Lasting) => void): void;
  addEventListener(type: 'fetch', listener: (event: Asked) => void): void;
  skipWaiting(): Promise<void>;
}

const scope = globalThis as unknown as Scope;

scope.addEventListener('install', (event) => event.waitUntil(install()));
scope.addEventListener('activate', (event) => event.waitUntil(forgetFormer()));
scope.addEventListener('fetch', (event) => {
  const { request } = event;
  if (request.mode === 'navigate') event.respondWith(page(request));
  else if (ASSETS.some((asset) => request.url === location.origin + asset)) event.respondWith(asset(request));
});

/** During an upgrade, a server may still deliver the old page: the next visit tries again. */
async function install(): Promise<void> {
  const shell = await fetch(SHELL, { cache: 'no-cache', credentials: 'omit' });
  const html = await shell.clone().text();
  if (!shell.ok || FIRST.some((asset) => !html.includes(asset))) throw new Error('This is another page.');
  const cache = await caches.open(CACHE);
  await cache.addAll(ASSETS);
  await cache.put(SHELL, shell);
  await scope.skipWaiting();
}

async function forgetFormer(): Promise<void> {
  const former = (await caches.keys()).filter((name) => name.startsWith('hongbao') && name !== CACHE);
  await Promise.all(former.map((name) => caches.delete(name)));
}

async function page(request: Request): Promise<Response> {
  const kept = await caches.match(SHELL);
  if (!kept) return fetch(request);
  return fetch(request, { signal: AbortSignal.timeout(PAGE_WITHIN_MS) }).catch(() => kept);
}

const asset = async (request: Request): Promise<Response> =>
  (await caches.match(request, { ignoreVary: true })) ?? fetch(request);
