import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { WatchedDemo } from '../../src/dev/watch/watched-demo';
import type { Steps } from '../harness/steps';
import { shownBy, watchBars } from '../harness/wall-bars';
import type { Pictures } from './pictures';

const DESK = { width: 1600, height: 900 };
const FAULTS = ['Kill the worker', 'Kill Redis', 'Freeze Postgres'];
const HEALED_WITHIN_MS = 60_000;

/**
 * Breaks the demo by the buttons of its wall, one after the other. The bar adds up all the time,
 * and in the end so do all figures.
 */
export async function breakOnWall(
  steps: Steps,
  browser: Browser,
  localDir: string,
  pictures: Pictures,
): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'hongbao-browser-'));
  const demo = await WatchedDemo.start({ localDir, dataDir });
  try {
    await demo.play();
    const page = await browser.newPage({ viewport: DESK, locale: 'en' });
    await page.goto(demo.wallUrl);
    await steps.run('the wall of the demo', () => page.getByText('The parts add up').first().waitFor());
    await watchBars(page);
    for (const fault of FAULTS) await breakAndHeal(steps, page, fault, pictures);
    steps.check('the bar added up all the time', (await shownBy(page)).wrong, []);
    const { balanced, output } = await demo.verify();
    steps.check('every invariant holds at its end', balanced, true);
    if (!balanced) console.log(output);
    await page.close();
  } finally {
    await demo.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function breakAndHeal(steps: Steps, page: Page, fault: string, pictures: Pictures): Promise<void> {
  const button = page.getByRole('button', { name: fault });
  await steps.run(`… ${fault.toLowerCase()}`, async () => {
    await button.click();
    await page.locator('.sign.bad').first().waitFor();
  });
  await pictures.keep(page, `wall-${fault.toLowerCase().replaceAll(' ', '-')}`);
  await steps.run('… and it heals', async () => {
    await page.locator('.danger[aria-disabled="false"]').first().waitFor({ timeout: HEALED_WITHIN_MS });
    await page.locator('.sign.bad').first().waitFor({ state: 'detached', timeout: HEALED_WITHIN_MS });
  });
}
