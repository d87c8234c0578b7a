import type { Browser, Page } from 'playwright-core';
import { ApiClient } from '../../libs/client';
import type { Steps } from '../harness/steps';
import { openRain } from './open-rain';
import type { Stage } from './rain-on-pages';

const PACKETS = 1_000_000;
const TOTAL = '2000000.00';
const PLAYERS = 2_000;
const TAPS_IN_FLIGHT = 100;

const PHONE = { width: 390, height: 844 };
const DESK = { width: 1440, height: 900 };

/** The limit for 95 % of the frames at which an animation still looks smooth. */
const FRAME_MS_MAX = 50;
const SMOOTH_SHARE = 0.95;
const SETTLED_WITHIN_MS = 60_000;

/**
 * Plays a large rain with a crowd, beside one page on which it rains and one that shows its
 * figures.
 */
export async function playBesideCrowd(steps: Steps, browser: Browser, stage: Stage): Promise<void> {
  const { apiUrl, adminUrl, operator, tokenOf } = stage;
  const api = new ApiClient(apiUrl, operator);
  const plan = { name: 'A million packets', totalAmount: TOTAL, packetCount: PACKETS };
  const id = await steps.run('a rain of a million packets', () => openRain(api, plan));
  const phone = await browser.newPage({ viewport: PHONE, locale: 'en' });
  await phone.goto(`${apiUrl}/rain/${id}#token=${tokenOf('beside')}`);
  await phone.getByText('It is raining').waitFor();
  const desk = await browser.newPage({ viewport: DESK, locale: 'en' });
  await desk.goto(`${adminUrl}/console/activities/${id}#token=${operator}`);
  await desk.getByText('The parts add up').waitFor();

  await phone.evaluate(COUNT_FRAMES);
  const players = Array.from({ length: PLAYERS }, (_, i) => new ApiClient(apiUrl, tokenOf(`crowd-${i}`)));
  await steps.run(`${PLAYERS} players who tap`, () => tapAll(players, id));
  const frames = await framesOf(phone);
  const what = `frames stay smooth beside them (19 of 20 within ${Math.round(frames.slowMs)} ms, ${frames.count} frames)`;
  steps.check(what, frames.slowMs <= FRAME_MS_MAX, true);

  await desk.getByText(`${PLAYERS} of ${PACKETS}`).waitFor({ timeout: SETTLED_WITHIN_MS });
  await desk.locator('.place.pending', { hasText: '0.00' }).waitFor({ timeout: SETTLED_WITHIN_MS });
  const { credited, unclaimed } = await api.get('/v1/activities/{id}/reconciliation', { path: { id } });
  const shown = await Promise.all(
    ['credited', 'unclaimed'].map((place) => desk.locator(`.place.${place} dd`).innerText()),
  );
  steps.check('the figures of the page are those of the proof', shown, [credited, unclaimed]);
  await Promise.all([phone.close(), desk.close()]);
}

async function tapAll(players: readonly ApiClient[], id: string): Promise<void> {
  const waiting = [...players];
  const tapper = async () => {
    for (let player = waiting.pop(); player; player = waiting.pop())
      await player.post('/v1/activities/{id}/grabs', { path: { id } });
  };
  await Promise.all(Array.from({ length: TAPS_IN_FLIGHT }, tapper));
}

const COUNT_FRAMES = `
  globalThis.frameMs = [];
  let last = performance.now();
  requestAnimationFrame(function frame(now) {
    globalThis.frameMs.push(now - last);
    last = now;
    requestAnimationFrame(frame);
  });
`;

async function framesOf(page: Page): Promise<{ count: number; slowMs: number }> {
  const frameMs = await page.evaluate<number[]>('globalThis.frameMs');
  const ordered = [...frameMs].sort((a, b) => a - b);
  return { count: ordered.length, slowMs: ordered[Math.floor(ordered.length * SMOOTH_SHARE)]! };
}
