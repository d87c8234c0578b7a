import type { Page } from 'playwright-core';

/** Follows every link within the console, a few of each form, and returns the paths that it visited. */
export async function walk(
  page: Page,
  origin: string,
  look: (path: string) => Promise<void>,
  { starts = ['/console'], alikeMax = 1 }: { starts?: readonly string[]; alikeMax?: number } = {},
): Promise<Set<string>> {
  const seen = new Map<string, number>();
  const visited = new Set<string>();
  const waiting = [...starts];
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    const form = path.replace(/\d+/g, '0').replace(/(wallets|wins\/0)\/[^/?]+/, '$1/x');
    if (visited.has(path) || (seen.get(form) ?? 0) >= alikeMax) continue;
    seen.set(form, (seen.get(form) ?? 0) + 1);
    visited.add(path);
    await page.goto(origin + path);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.getByText('Loading…').first().waitFor({ state: 'detached' });
    await look(path);
    waiting.push(...(await linksOf(page)));
  }
  return visited;
}

async function linksOf(page: Page): Promise<string[]> {
  const hrefs = await page
    .locator('a[href]')
    .evaluateAll((links) => links.map((link) => link.getAttribute('href')!));
  return hrefs.filter((href) => href.startsWith('/console'));
}
