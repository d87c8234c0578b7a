import type { Browser, Page } from 'playwright-core';
import { ApiClient } from '../../libs/client';
import type { Steps } from '../harness/steps';
import { openRain } from './open-rain';
import type { Pictures } from './pictures';

export interface Stage {
  readonly apiUrl: string;
  readonly adminUrl: string;
  readonly operator: string;
  readonly tokenOf: (user: string) => string;
  readonly pictures: Pictures;
}

const RAIN = { name: 'New Year rain', totalAmount: '200.00', packetCount: 40, opensInMs: 6_000 };
const FANS = 12;

const FIRST_PAINT_MS_MAX = 1_000;
const INTERACTION_MS_MAX = 100;

/** Chromium imitates a weak phone: this many times slower. */
const SLOWNESS = 6;
/** Time for figures to count up, and for per-second figures to be counted. */
const COUNTED_UP_MS = 2_500;
const FALLING_MS = 3_000;
const SCRIPTING_SHARE_MAX = 0.1;

const PHONE = { width: 390, height: 844 };
const FILM = { width: 280, height: 520 };
const DESK = { width: 1440, height: 900 };

/**
 * Plays a rain as users see it: on a phone from the countdown to the wallet, and on the operators'
 * wall.
 */
export async function playOnPages(steps: Steps, browser: Browser, stage: Stage): Promise<void> {
  const { apiUrl, adminUrl, operator, pictures } = stage;
  const id = await openRain(new ApiClient(apiUrl, operator), RAIN);

  const phone = await browser.newPage({ viewport: PHONE, locale: 'en' });
  await phone.goto(`${apiUrl}/rain/${id}`);
  await signIn(phone, stage);
  await steps.run('the countdown on a phone', () => phone.getByText('It rains in').waitFor());
  await checkFirstPaint(steps, phone);
  await pictures.keep(phone, 'countdown');
  await steps.run('the rain', () => phone.getByText('It is raining').waitFor());
  const share = await scriptingShare(phone);
  steps.check(
    `little for a weak phone to compute while it rains (${(100 * share).toFixed(1)} % of the time)`,
    share <= SCRIPTING_SHARE_MAX,
    true,
  );
  await film(browser, stage, id);
  await phone.evaluate(WATCH_INTERACTIONS);
  await phone.getByRole('button', { name: 'Grab a red packet' }).click();
  await steps.run('a packet', () => phone.getByText('You got a red packet!').waitFor());
  await steps.run('… in the wallet', () => phone.getByText('In your wallet').waitFor());
  const interactionMs = Number(await phone.evaluate('globalThis.longestInteractionMs'));
  steps.check(
    `an answer to a tap within ${INTERACTION_MS_MAX} ms (${Math.round(interactionMs)})`,
    interactionMs <= INTERACTION_MS_MAX,
    true,
  );
  await pictures.keep(phone, 'won', COUNTED_UP_MS);

  const desk = await browser.newPage({ viewport: DESK, locale: 'en' });
  await desk.goto(`${adminUrl}/console/activities/${id}#token=${operator}`);
  await steps.run('the proof as a bar in the console', () => desk.getByText('The parts add up').waitFor());
  await grabForFans(stage, id);
  await steps.run('… and who tapped', () => desk.getByText(`${1 + FANS} of`).waitFor());
  await checkFirstPaint(steps, desk);
  await pictures.keep(desk, 'activity', COUNTED_UP_MS);
  await desk.getByRole('link', { name: 'Wall', exact: true }).click();
  await steps.run('the wall', () =>
    desk.getByRole('article').first().getByText('The parts add up').waitFor(),
  );
  await pictures.keep(desk, 'wall');
  await Promise.all([phone.close(), desk.close()]);
}

/** Films on a small page, so that the picture is small as well. */
async function film(browser: Browser, { apiUrl, tokenOf, pictures }: Stage, id: string): Promise<void> {
  const page = await browser.newPage({ viewport: FILM, locale: 'en' });
  await page.goto(`${apiUrl}/rain/${id}#token=${tokenOf('extra')}`);
  await page.getByText('It is raining').waitFor();
  await pictures.film(page, 'rain');
  await page.close();
}

/** Signs in as a guest if guests are allowed; otherwise with a token, as an app would. */
async function signIn(page: Page, { tokenOf }: Stage): Promise<void> {
  await page.getByText('Please open this rain from your app').waitFor();
  const guest = page.getByRole('button', { name: 'Play as a guest' });
  if (await guest.isVisible()) return guest.click();
  const message = { type: 'hongbao.token', token: tokenOf('player') };
  await page.evaluate(`postMessage(${JSON.stringify(message)}, '*')`);
}

async function grabForFans({ apiUrl, tokenOf }: Stage, id: string): Promise<void> {
  const fans = Array.from({ length: FANS }, (_, i) => new ApiClient(apiUrl, tokenOf(`fan-${i}`)));
  await Promise.all(fans.map((fan) => fan.post('/v1/activities/{id}/grabs', { path: { id } })));
}

async function checkFirstPaint(steps: Steps, page: Page): Promise<void> {
  const paintMs = Number(await page.evaluate(FIRST_PAINT));
  const what = `the first paint within ${FIRST_PAINT_MS_MAX} ms (${Math.round(paintMs)})`;
  steps.check(what, paintMs <= FIRST_PAINT_MS_MAX, true);
}

const FIRST_PAINT = `performance.getEntriesByName('first-contentful-paint')[0].startTime`;

/** Records the longest time from a tap or a key to the next frame. */
const WATCH_INTERACTIONS = `
  globalThis.longestInteractionMs = 0;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries())
      globalThis.longestInteractionMs = Math.max(globalThis.longestInteractionMs, duration);
  }).observe({ type: 'event', durationThreshold: 16 });
`;

/** Share of scripting in the time in which envelopes fall, on a machine that is made slower. */
async function scriptingShare(page: Page): Promise<number> {
  const devTools = await page.context().newCDPSession(page);
  await devTools.send('Performance.enable');
  await devTools.send('Emulation.setCPUThrottlingRate', { rate: SLOWNESS });
  const scriptSeconds = async () => {
    const { metrics } = await devTools.send('Performance.getMetrics');
    return metrics.find(({ name }) => name === 'ScriptDuration')!.value;
  };
  const before = await scriptSeconds();
  await page.waitForTimeout(FALLING_MS);
  const seconds = (await scriptSeconds()) - before;
  await devTools.send('Emulation.setCPUThrottlingRate', { rate: 1 });
  await devTools.detach();
  return seconds / (FALLING_MS / 1000);
}
