import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { animated } from './animated-png';

const FRAMES = 16;
const FRAME_MS = 120;

/** Keeps pictures if a directory is given: the READMEs show real runs. */
export class Pictures {
  constructor(private readonly directory: string | undefined) {}

  /** @param afterMs time for animations to come to rest */
  async keep(page: Page, name: string, afterMs = 0): Promise<void> {
    if (this.directory === undefined) return;
    await page.waitForTimeout(afterMs);
    await page.screenshot({ path: this.pathOf(name) });
  }

  /** Films the page for a few seconds. */
  async film(page: Page, name: string): Promise<void> {
    if (this.directory === undefined) return;
    const frames: Buffer[] = [];
    for (let frame = 0; frame < FRAMES; frame++) {
      frames.push(await page.screenshot({ scale: 'css' }));
      await page.waitForTimeout(FRAME_MS);
    }
    writeFileSync(this.pathOf(name), animated(frames, FRAME_MS));
  }

  private pathOf(name: string): string {
    mkdirSync(this.directory!, { recursive: true });
    return join(this.directory!, `${name}.png`);
  }
}
