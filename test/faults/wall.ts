import type { Browser, Page } from 'playwright-core';
import { chromiumProgram } from '../../src/dev/engines';
import { openChromium } from '../harness/browser';
import { shownBy, watchBars } from '../harness/wall-bars';
import { tokenOf } from './api-call';
import type { System } from './system';

const DESK = { width: 1920, height: 1080 };
const LOADED_WITHIN_MS = 30_000;

/** `--wall`: the console's wall in a browser, open all the time while systems are harmed. */
export class Wall {
  private bars = 0;
  private wrong = 0;

  private constructor(private readonly browser: Browser) {}

  static async open(): Promise<Wall> {
    const program = await chromiumProgram(process.env.LOCAL_DIR || '.local', console.error);
    return new Wall(await openChromium(program));
  }

  /** Shows what one API of the system says, whether or not it is up. */
  async show({ apis }: System): Promise<Page> {
    const page = await this.browser.newPage({ viewport: DESK, locale: 'en' });
    await page.goto(`${apis[0]!.url}/console/wall`);
    await page.getByLabel('Token', { exact: true }).fill(tokenOf('operator', 'operator'));
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('navigation').waitFor({ timeout: LOADED_WITHIN_MS });
    await watchBars(page);
    return page;
  }

  async lies(page: Page): Promise<string[]> {
    const { bars, wrong } = await shownBy(page);
    this.bars += bars;
    this.wrong += wrong.length;
    return wrong.map((text) => `the wall said: ${text}`);
  }

  get line(): string {
    return `the wall: looked at bars ${this.bars} times, of which ${this.wrong} did not add up`;
  }

  close(): Promise<void> {
    return this.browser.close();
  }
}
