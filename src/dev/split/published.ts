import { ApiClient, type Schema } from '../../../libs/client';

const BATCHES_PER_PAGE = 100;
/** A server that never comes to the end of its list is given up on. */
const PAGES_MAX = 10_000;
const ANSWER_WITHIN_MS = 30_000;

/** The address of an activity or of its page, wherever the API is served. */
const PLACE = /^(.*)\/(?:v1\/activities|rain)\/(\d+)(?:\/fairness)?\/?$/;

export const isAddress = (name: string): boolean => /^https?:\/\//i.test(name);

/**
 * Reads what an activity has published, all of it, as a stranger does: without a token, and with the share code in the
 * address after `#c=` or `?c=`. The code is sent as a header, and only to this server.
 *
 * @throws Error if it cannot be read, or its list has a gap or is another activity's
 */
export async function publishedAt(address: string): Promise<string> {
  const { origin, pathname, hash, searchParams } = new URL(address);
  const [, base, id] = PLACE.exec(pathname) ?? [];
  if (id === undefined) throw new Error(`${origin}${pathname} is not the address of an activity`);
  const shareCode = searchParams.get('c') ?? new URLSearchParams(hash.slice(1)).get('c') ?? undefined;
  const api = new ApiClient(origin + base, undefined, {
    shareCode,
    fetch: (request) => fetch(request, { redirect: 'error' }),
  });
  const batches: Schema<'FairBatchDto'>[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages < PAGES_MAX; pages++) {
    const signal = AbortSignal.timeout(ANSWER_WITHIN_MS);
    const page = await api.readFairness(id, { limit: BATCHES_PER_PAGE, cursor }, { signal });
    for (const batch of page.batches) {
      if (batch.batch !== String(batches.length) || batch.terms.activity !== id)
        throw new Error(`what is published there is not batch ${batches.length} of activity ${id}`);
      batches.push(batch);
    }
    if (page.nextCursor === null) return JSON.stringify({ batches, nextCursor: null });
    if (page.batches.length === 0) break;
    cursor = page.nextCursor;
  }
  throw new Error(`the list of activity ${id} has no end`);
}
