import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { animated } from './animated-png';
import { PHONE, PICTURES } from './chromium';
import { grab, press, says, type Stage } from './stage';

const FILM = { width: 300, height: 520 };
const FRAMES = 12;
const FRAME_MS = 120;
const FANS = 12;
const BETWEEN_FANS_MS = 700;
/** Long enough for figures to count up, and for the chart to have at least one second to show. */
const COUNTED_UP_MS = 2_500;

/** Next to the documents in Chinese. */
const CHINESE = join('..', 'zh', 'pictures');

const pathOf = (name: string): string => join(PICTURES!, `${name}.png`);

export function picturesCases(stage: Stage): void {
  beforeAll(() => mkdirSync(join(PICTURES!, CHINESE), { recursive: true }));

  it('of a rain: falling envelopes, a packet that is won, its activity in the console, and the wall without Redis', async () => {
    const id = await stage.rain.createActivity({
      name: 'New Year rain',
      totalAmount: '200.00',
      packetCount: 40,
      theme: { sender: 'Acme', greeting: 'Happy New Year!' },
    });
    const { page: small } = await stage.player(id, 'extra', { viewport: FILM });
    await says(small, "It's raining red packets.");
    await film(small, 'rain');

    const { page: phone } = await stage.player(id, 'player', { viewport: PHONE });
    await grab(phone);
    await says(phone, 'In your wallet');
    await keep(phone, 'won');

    const { page: desk } = await stage.staff(`/activities/${id}`, 'operator', {
      viewport: { width: 1440, height: 900 },
    });
    for (let fan = 0; fan < FANS; fan++) {
      for (let tap = 0; tap <= (5 * fan) % 7; tap++)
        await stage.rain.user(`fan-${fan}`).post(`/v1/activities/${id}/grabs`);
      await desk.waitForTimeout(BETWEEN_FANS_MS);
    }
    await says(desk, `${1 + FANS} of`);
    await keep(desk, 'activity');
    await press(desk, '中文');
    await says(desk, 'English');
    await keep(desk, join(CHINESE, 'activity'));

    const { page: wall } = await stage.staff('/wall', 'operator', { viewport: { width: 1600, height: 900 } });
    await says(wall, 'The parts add up');
    process.kill(stage.rain.redisEngine.pid, 'SIGSTOP');
    await wall.locator('.sign.bad', { hasText: 'redis' }).first().waitFor();
    await keep(wall, 'wall-kill-redis');
    process.kill(stage.rain.redisEngine.pid, 'SIGCONT');
  });
}

async function keep(page: Page, name: string): Promise<void> {
  await page.waitForTimeout(COUNTED_UP_MS);
  await page.screenshot({ path: pathOf(name) });
}

async function film(page: Page, name: string): Promise<void> {
  const frames: Buffer[] = [];
  for (let frame = 0; frame < FRAMES; frame++) {
    frames.push(await page.screenshot({ scale: 'css' }));
    await page.waitForTimeout(FRAME_MS);
  }
  writeFileSync(pathOf(name), animated(frames, FRAME_MS));
}
