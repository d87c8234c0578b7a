import type { Browser, Page } from 'playwright-core';
import { chromiumProgram } from '../../src/dev/engines';
import { openChromium } from '../harness/browser';
import { install, NO_RATE_LIMITS, openActivity, operatorOf, redisIsTrusted, tokenOf } from './api';
import { atLeast, atMost, type Bench, type BenchResult, spreadOf, tableOf } from './bench';
import { type Figures, median, type Sample } from './measure';
import type { Server } from './product';
import type { Stage } from './stage';

const PHONE = { width: 360, height: 740 };

/** Each answer takes this much longer, and 400 kbit/s go each way. */
const SLOW_NETWORK = { offline: false, latency: 400, downloadThroughput: 50_000, uploadThroughput: 50_000 };
/** Slowdown of the processor, for frames. */
const SLOWED = 4;
const KIB = 1024;
/** More than come. */
const PLAYERS_MAX = 1_000;

/** How long frames are counted. */
const WATCH_MS = 4_000;
const SCREEN_MS = 1000 / 60;
/** A frame this late has missed its turn on the screen. */
const LATE_MS = 1.5 * SCREEN_MS;

interface TraceEvent {
  readonly name: string;
  /** Microseconds. */
  readonly ts: number;
}

interface Rig {
  readonly browser: Browser;
  readonly api: Server;
  readonly activityId: string;
}

export const pages: Bench = {
  name: 'pages',
  question: 'How soon can a slow phone play, and how smoothly does the rain fall on it?',
  async run(stage) {
    const rig = await assemble(stage);
    const rounds = stage.pick(9, 3, 0);
    const loads = await stage.interleave(
      [
        { name: 'page of a rain', run: () => onPhone(rig, loadRain) },
        { name: 'console', run: () => onPhone(rig, loadConsole) },
      ],
      rounds,
    );
    const frames = await stage.interleave(
      [
        { name: 'a page with one moving box', run: () => onPhone(rig, watchBox) },
        { name: 'the rain falls', run: () => onPhone(rig, watchRain) },
        { name: 'a packet opens', run: () => onPhone(rig, watchPacket) },
      ],
      rounds,
    );
    return resultOf(loads, frames);
  },
};

async function assemble(stage: Stage): Promise<Rig> {
  const { command, env } = await chromiumProgram(process.env.LOCAL_DIR || '.local', console.error);
  const browser = await openChromium({ command, env }, ['--disable-gpu']);
  stage.atEnd(() => browser.close());
  const installation = await install(stage);
  const api = await installation.api(NO_RATE_LIMITS);
  await installation.worker();
  await redisIsTrusted(api);
  return { browser, api, activityId: await openActivity(operatorOf(api), PLAYERS_MAX) };
}

async function onPhone(rig: Rig, work: (rig: Rig, page: Page) => Promise<Sample>) {
  const context = await rig.browser.newContext({ viewport: PHONE, locale: 'en', serviceWorkers: 'block' });
  try {
    return await work(rig, await context.newPage());
  } finally {
    await context.close();
  }
}

let players = 0;
const rainUrl = ({ api, activityId }: Rig): string =>
  `${api.url}/rain/${activityId}#token=${tokenOf(`player-${players++}`)}`;
const grabButton = (page: Page) => page.getByRole('button', { name: 'Grab a red packet' });

const loadRain = (rig: Rig, page: Page): Promise<Sample> => load(page, rainUrl(rig), '.deed');

const loadConsole = (rig: Rig, page: Page): Promise<Sample> =>
  load(page, `${rig.api.adminUrl}/console`, 'form input');

/** Loads a page over the slow network until it is of use: the button, or the field, is there. */
async function load(page: Page, url: string, useful: string): Promise<Sample> {
  const devtools = await page.context().newCDPSession(page);
  let bytes = 0;
  devtools.on('Network.loadingFinished', ({ encodedDataLength }) => void (bytes += encodedDataLength));
  await devtools.send('Network.enable');
  await devtools.send('Network.emulateNetworkConditions', SLOW_NETWORK);
  await page.addInitScript(`(function look() {
    if (document.querySelector('${useful}')) globalThis.ofUseAt = performance.now();
    else requestAnimationFrame(look);
  })()`);
  await page.goto(url, { waitUntil: 'commit' });
  await page.locator(useful).waitFor();
  const [first, largest, ofUse] = await page.evaluate<number[]>(MOMENTS);
  return { first: first!, largest: largest!, ofUse: ofUse!, kib: bytes / KIB };
}

/**
 * Runs in the page. Returns the times of the first paint, the largest paint and first use, in ms since
 * loading began.
 */
const MOMENTS = `new Promise((tell) => {
  const first = () => performance.getEntriesByName('first-contentful-paint')[0].startTime;
  new PerformanceObserver((list) => tell([first(), list.getEntries().at(-1).startTime, globalThis.ofUseAt]))
    .observe({ type: 'largest-contentful-paint', buffered: true });
})`;

async function watchBox({ browser }: Rig, page: Page): Promise<Sample> {
  await page.setContent(`<style>@keyframes go { to { transform: translateY(400px) } }
    div { width: 3rem; height: 4rem; background: red; animation: go 1s infinite }</style><div></div>`);
  return watch(browser, page);
}

async function watchRain(rig: Rig, page: Page, act?: () => Promise<void>): Promise<Sample> {
  await page.goto(rainUrl(rig));
  await grabButton(page).waitFor();
  return watch(rig.browser, page, act);
}

const watchPacket = (rig: Rig, page: Page): Promise<Sample> =>
  watchRain(rig, page, () => grabButton(page).click());

/** Counts the frames that the page's compositor draws, whatever thread has moved them. */
async function watch(browser: Browser, page: Page, act?: () => Promise<void>): Promise<Sample> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: SLOWED });
  await browser.startTracing(page, { categories: ['disabled-by-default-devtools.timeline.frame'] });
  await act?.();
  await page.waitForTimeout(WATCH_MS);
  const { traceEvents } = JSON.parse(String(await browser.stopTracing())) as { traceEvents: TraceEvent[] };
  const moments = traceEvents
    .filter(({ name }) => name === 'DrawFrame')
    .map(({ ts }) => ts / 1_000)
    .sort((a, b) => a - b);
  const gaps = moments.slice(1).map((moment, i) => moment - moments[i]!);
  const late = gaps.filter((gap) => gap > LATE_MS).length;
  return {
    perSecond: (gaps.length / (moments.at(-1)! - moments[0]!)) * 1_000,
    late: (late / gaps.length) * 100,
    longest: Math.max(...gaps),
  };
}

function resultOf(loads: Figures, frames: Figures): BenchResult {
  return {
    tables: [
      tableOf(
        {
          title: 'On a slow network, for the first time, ms',
          first: '',
          remark: `Each answer takes ${SLOW_NETWORK.latency} ms longer, and 400 kbit/s go each way. Of use: the button to grab is there, or the field to sign in.`,
        },
        loads,
        {
          'first paint': spreadOf('first'),
          'largest paint': spreadOf('largest'),
          'of use': spreadOf('ofUse'),
          KiB: 'kib',
        },
      ),
      tableOf(
        {
          title: `Frames on a screen of 60 a second, processor slowed ${SLOWED} times`,
          first: '',
          remark: 'Drawn without a graphics processor, on the processors that run everything else as well.',
        },
        frames,
        { 'a second': spreadOf('perSecond'), '% late': spreadOf('late'), 'longest ms': spreadOf('longest') },
      ),
    ],
    targets: [
      atMost('a rain on a slow network, of use', 1_800, ' ms', median(loads['page of a rain']!.ofUse!)),
      atMost('… KiB', 30, '', median(loads['page of a rain']!.kib!)),
      atMost('the console on a slow network, of use', 1_800, ' ms', median(loads.console!.ofUse!)),
      atMost('… KiB', 25, '', median(loads.console!.kib!)),
      atLeast('frames a second while the rain falls', 58, '', median(frames['the rain falls']!.perSecond!)),
      atLeast('… while a packet opens', 58, '', median(frames['a packet opens']!.perSecond!)),
    ],
  };
}
