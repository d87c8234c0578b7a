import type { Page, Request, Route } from 'playwright-core';

export const keyOf = (request: Request): string | undefined => request.headers()['idempotency-key'];

/**
 * Loses the answer to the first request that changes something at this address.
 * @returns a list to which each such request is added, as it is read by the caller
 */
export async function loseFirstAnswer<T>(
  page: Page,
  address: string,
  read: (request: Request) => T,
): Promise<readonly T[]> {
  const sent: T[] = [];
  await page.route(address, async (route) => {
    if (route.request().method() === 'GET') return route.continue();
    sent.push(read(route.request()));
    if (sent.length > 1) return route.continue();
    await route.fetch();
    return route.abort();
  });
  return sent;
}

/** Answers a request with a problem, as the API does. */
export const answerProblem = (route: Route, status: number, code: string, headers = {}): Promise<void> =>
  route.fulfill({
    status,
    headers: { 'content-type': 'application/problem+json', ...headers },
    body: JSON.stringify({ type: '/docs/errors', title: 'x', status, code, detail: 'x' }),
  });

/** Sends a message to the page, as the app around it does. */
export const postFromApp = (page: Page, message: object): Promise<unknown> =>
  page.evaluate(`postMessage(${JSON.stringify(message)}, '*')`);
