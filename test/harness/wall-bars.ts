import type { Page } from 'playwright-core';

export interface Shown {
  /** Number of times that a bar was read. */
  readonly bars: number;
  /** Texts of the bars that do not add up. */
  readonly wrong: readonly string[];
}

/** Reads the bars of all rains on a page every 100 ms. */
export async function watchBars(page: Page): Promise<void> {
  await page.evaluate(WATCH);
}

export const shownBy = (page: Page): Promise<Shown> => page.evaluate<Shown>('globalThis.shown()');

const WATCH = `
  const fresh = () => ({ bars: 0, wrong: [] });
  let now = fresh();
  globalThis.shown = () => {
    const before = now;
    now = fresh();
    return before;
  };
  setInterval(() => {
    for (const { textContent } of document.querySelectorAll('[data-verdict]')) {
      now.bars += 1;
      if (!textContent.startsWith('The parts add up')) now.wrong.push(textContent);
    }
  }, 100);
`;
