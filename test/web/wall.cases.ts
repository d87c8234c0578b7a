import type { Page } from 'playwright-core';
import { waitFor } from '../harness/engines';
import { seriousFaults } from './accessibility';
import { DESK } from './chromium';
import { press, says, signIn, type Stage } from './stage';

interface Calls {
  /** How often the page has asked for the permission to notify. */
  readonly asked: number;
  readonly tones: number;
  readonly shown: readonly string[];
  readonly closed: number;
}

/** Counts the sounds and messages of a page; the browser still plays and shows them. */
const RECORD_CALLS = `
  globalThis.calls = { asked: 0, tones: 0, shown: [], closed: 0 };
  const start = OscillatorNode.prototype.start;
  OscillatorNode.prototype.start = function (...when) {
    calls.tones += 1;
    return start.apply(this, when);
  };
  const Original = Notification;
  globalThis.Notification = class extends Original {
    static requestPermission() {
      calls.asked += 1;
      return Original.requestPermission();
    }
    constructor(title, options) {
      super(title, options);
      calls.shown.push(title + ': ' + options.body);
    }
    close() {
      calls.closed += 1;
      super.close();
    }
  };
`;

/** Finds what does not fit: the page itself, or a part that hides some of its content. */
const CUT_OFF = `(() => {
  const page = document.scrollingElement;
  const cut = page.scrollHeight > page.clientHeight || page.scrollWidth > page.clientWidth ? ['the page'] : [];
  for (const part of document.querySelectorAll('.kiosk, .all-signs, .wall-rains, .rain-panel, .wall-rest')) {
    const { bottom, right } = part.getBoundingClientRect();
    if (part.scrollHeight > part.clientHeight + 1 || bottom > innerHeight || right > innerWidth)
      cut.push(part.className + ' ' + part.scrollHeight + ' > ' + part.clientHeight + ', ' + bottom);
  }
  return cut;
})()`;

/** Shows the signs that are in order, too. */
const unfold = (page: Page): Promise<void> => page.getByRole('button', { name: /checks? in order/ }).click();

interface NamedChannel {
  readonly id: string;
  readonly name: string;
}

export function wallCases(stage: Stage): void {
  const createChannels = (names: readonly string[]): Promise<NamedChannel[]> =>
    Promise.all(names.map(async (name) => ({ id: await stage.createChannel(name), name })));

  async function pause(channels: readonly NamedChannel[], paused: boolean): Promise<void> {
    for (const { id } of channels) {
      const { status } = await stage.rain.operator().patch(`/v1/payout-channels/${id}`, { paused });
      expect(status).toBe(200);
    }
  }

  it('shows in red that an engine is down, keeps the last proof, and says what repaired it', async () => {
    const id = await stage.rain.createActivity({ name: 'Survivor', packetCount: 2, totalAmount: '6.00' });
    const { page } = await stage.staff(`/wall?first=${id}`, 'support');
    const panel = page.getByRole('article', { name: 'Survivor' });
    await panel.getByText('The parts add up').waitFor();
    await unfold(page);
    process.kill(stage.rain.redisEngine.pid, 'SIGSTOP');
    await page.locator('.sign.bad', { hasText: 'redis' }).first().waitFor();
    await panel.getByText('The parts add up').waitFor();
    process.kill(stage.rain.redisEngine.pid, 'SIGCONT');
    await page.locator('.sign', { hasText: /: ok, answered in/ }).waitFor();
    await stage.rain.redis.flushall();
    await says(page, /Rains that Redis did not have, and that were loaded from Postgres: \d/);
    expect((await stage.rain.proof(id)).verdict).toBe('balanced');
  });

  it('shows the largest rain among thirteen small ones, says how many it leaves out, and what opens next', async () => {
    const { rain } = stage;
    const small = (i: number) =>
      rain.createActivity({ name: `Small ${i}`, packetCount: 1, totalAmount: '0.10' });
    const large = await rain.createActivity({ name: 'Large', packetCount: 4, totalAmount: '999.99' });
    for (let i = 1; i <= 13; i++) await small(i);
    // Sooner than the rains of other cases, of which the wall shows the next five.
    await rain.createActivity({ name: 'Soon', packetCount: 1, totalAmount: '1.00', opensInMs: 300_000 });
    const { page } = await stage.staff('/wall', 'support');
    const panels = page.locator('.rain-panel');
    await panels.filter({ hasText: 'Large' }).waitFor();
    expect(await panels.count()).toBe(12);
    const running = (await rain.as('support').get('/v1/overview/activities')).body.runningCount;
    await says(page, `and ${running - 12} more`);
    await says(page, /in 0:0(5:00|4:\d\d)/);

    const chosen = panels.nth(7);
    const name = await chosen.getByRole('link').innerText();
    await chosen.getByRole('button', { name: 'Put first' }).click();
    await panels.first().getByRole('link', { name }).waitFor();
    await panels.filter({ hasText: 'Large' }).getByRole('button', { name: 'Put first' }).click();
    await panels.first().getByRole('link', { name: 'Large' }).waitFor();
    await page.reload();
    await panels.first().getByRole('link', { name: 'Large' }).waitFor();
    expect(await panels.nth(1).getByRole('link').innerText()).toBe(name);
    expect(page.url()).toContain(`first=${large}`);
    await rain.sql(`update activity set closes_at = now() where name ~ '^(Small|Large)'`);
  });

  it('has a sign for each part: API, engines, worker, memory, clocks, queue, journal, money, log of claims, channels and alerts', async () => {
    const { page } = await stage.staff('/wall', 'support');
    await unfold(page);
    for (const text of [
      /^API: ok, answered in \d+ ms$/,
      'Postgres: ok',
      'Redis: ok',
      'A worker is running',
      /^Redis (has no memory limit|uses \d+ % of its memory)$/,
      'The clocks agree',
      /settlement (queue is empty|jobs? in the queue)/,
      /(Every reservation is decided|not decided, the oldest)/,
      /(All (other )?wins are paid|not paid yet, the oldest)/,
      'The log of claims is up to date',
      /(No payout channels|All payout channels are healthy|^Channel )/,
      /(No alert is firing|What to do)/,
    ])
      await page.locator('.sign', { hasText: text }).first().waitFor();
  });

  it('folds the signs that are in order into one line, until it is pressed', async () => {
    const { page } = await stage.staff('/wall', 'support');
    const folded = page.getByRole('button', { name: /\d+ checks in order/ });
    await folded.waitFor();
    expect(await page.getByText('A worker is running').isVisible()).toBe(false);
    await folded.click();
    await says(page, 'A worker is running');
  });

  it('says that nothing is in order before all of it was asked, however quickly the engines answer', async () => {
    const { page } = await stage.staff('/wall', 'support');
    let answer: () => void;
    const held = new Promise<void>((resolve) => (answer = resolve));
    await page.route('**/v1/overview', async (route) => {
      await held;
      await route.continue();
    });
    await page.reload();
    await page.locator('.sign', { hasText: 'Redis: ok' }).waitFor({ state: 'attached' });
    await says(page, 'Loading…');
    const folded = page.getByRole('button', { name: /checks? in order/ });
    expect(await folded.count()).toBe(0);
    answer!();
    await folded.waitFor();
  });

  it('leads from a red sign to what to do about it, even if no alert has fired yet', async () => {
    const id = await stage.createChannel('Doubtful');
    await stage.rain.sql(
      `insert into payout_finding (channel_id, kind, detail) values ($1, 'answer-differs', '{}')`,
      [id],
    );
    const { page } = await stage.staff('/wall', 'support');
    const sign = page.locator('.sign.bad', { hasText: 'Channel Doubtful: Stopped by a finding' });
    const link = await sign.getByRole('link', { name: 'What to do' }).getAttribute('href');
    expect(link).toMatch(/\/docs\/runbook#hongbaopayoutfindingsopen$/);
    await stage.rain.sql(
      `update payout_finding set ended_at = now(), ended_by = 'op', resolution = 'A test.' where channel_id = $1`,
      [id],
    );
    await sign.waitFor({ state: 'detached' });
    await stage.deleteChannels(id);
  });

  it('shows the taps refused in the last minute by reason, and those answered 503 in red', async () => {
    const { rain } = stage;
    const plan = { packetCount: 1, totalAmount: '1.00' };
    const soon = await rain.createActivity({ ...plan, opensInMs: 3_000_000 });
    const closed = await rain.createActivity({ ...plan, admission: 'ticket' });
    const { page } = await stage.staff('/wall', 'support');
    const tap = (id: string, user: string) => rain.user(user).post(`/v1/activities/${id}/grabs`);
    for (const user of ['r1', 'r2', 'r3']) await tap(soon, user);
    await tap(closed, 'r1');
    const refused = page.locator('.sign.plain', { hasText: 'Refused in the last minute' });
    await refused.filter({ hasText: /not open [3-9]/ }).waitFor();
    await refused.filter({ hasText: /no valid ticket [1-9]/ }).waitFor();
    const thaw = stopped(rain.redisEngine.pid);
    try {
      await Promise.all(['r4', 'r5'].map((user) => tap(soon, user)));
      await page
        .locator('.sign.bad', {
          hasText: /\d taps? answered 503 in the last minute \(this API process only\)/,
        })
        .waitFor();
    } finally {
      thaw();
    }
    await page.locator('.sign.bad', { hasText: /\d taps? answered 503 in the last minute$/ }).waitFor();
  });

  it('shows a firing alert, and links to what to do about it', async () => {
    const { page } = await stage.staff('/wall', 'support');
    const thaw = await stage.freezePostgres();
    const alert = page.locator('.sign.bad', { hasText: 'An engine does not answer a process. (postgres)' });
    try {
      await alert.waitFor();
    } finally {
      thaw();
    }
    const [runbook] = await Promise.all([
      page.context().waitForEvent('page'),
      alert.getByRole('link', { name: 'What to do' }).click(),
    ]);
    await runbook.locator('section:target', { hasText: 'Postgres or Redis, or a master' }).waitFor();
    await alert.waitFor({ state: 'detached' });
  });

  it('calls people with a sound and a message when a sign turns red, says which, and is silent when it recovers', async () => {
    const visitor = await stage.visitor({ viewport: DESK });
    const { page, context } = visitor;
    await context.grantPermissions(['notifications'], { origin: stage.rain.url });
    await page.addInitScript(RECORD_CALLS);
    await page.goto(`${stage.rain.url}/console/wall?kiosk=on`);
    await signIn(page, stage.rain.tokenOf('watcher', 'support'));
    await says(page, 'A worker is running');
    const calls = () => page.evaluate<Calls>('globalThis.calls');
    expect(await calls()).toEqual({ asked: 0, tones: 0, shown: [], closed: 0 });
    await press(page, 'Sound');
    await press(page, 'Notifications');
    await page.locator('[aria-pressed=true]').nth(1).waitFor();
    expect((await calls()).asked).toBe(1);

    await page.reload();
    await says(page, 'A worker is running');
    expect(await page.locator('[aria-pressed=true]').count()).toBe(2);
    await page.locator('h1').click();
    await page.getByText('Touch the page once').waitFor({ state: 'hidden' });
    await stage.rain.pauseWorker();
    await page.locator('.sign.bad', { hasText: /No worker has been seen/ }).waitFor();
    await waitFor(async () => (await calls()).shown.some((text) => /No worker has been seen/.test(text)), {
      what: 'the message',
    });
    const { asked, tones } = await calls();
    expect({ asked, tones: tones > 0 }).toEqual({ asked: 0, tones: true });
    const before = await calls();
    stage.rain.resumeWorker();
    await says(page, 'A worker is running');
    await waitFor(async () => (await calls()).closed > 0, { what: 'the message to go' });
    expect((await calls()).tones).toBe(before.tones);
    await press(page, 'Sound');
    await press(page, 'Notifications');
    await page.reload();
    await says(page, 'A worker is running');
    expect(await page.locator('[aria-pressed=true]').count()).toBe(0);
  });

  it.each(['calm', 'an outage'])(
    'fits a screen of 1920 × 1080 with four rains, in letters that are legible from five metres: %s',
    async (weather) => {
      const { rain } = stage;
      // Much turns red at once: everything that Redis knows, and these channels.
      const channels = weather === 'calm' ? [] : await createChannels(['North', 'East', 'South', 'West']);
      await pause(channels, true);
      for (let i = 1; i <= 5; i++)
        await rain.createActivity({ name: `Large ${i}`, packetCount: 2, totalAmount: '900.00' });
      const { page } = await stage.staff('/wall?kiosk=on', 'support', { viewport: DESK });
      await page.locator('.rain-panel [data-verdict]').nth(3).waitFor();
      for (const { name } of channels)
        await page.locator('.sign.bad', { hasText: `Channel ${name}` }).waitFor();
      const thaw = weather === 'calm' ? () => undefined : stopped(rain.redisEngine.pid);
      try {
        if (weather !== 'calm') await page.locator('.sign.bad', { hasText: 'worker' }).waitFor();
        expect(await page.locator('.rain-panel').count()).toBe(4);
        expect(await page.evaluate<string[]>(CUT_OFF)).toEqual([]);
        const sizeOf = (selector: string) =>
          page.evaluate<number>(
            `parseFloat(getComputedStyle(document.querySelector('${selector}')).fontSize)`,
          );
        const leading = ['.wall-title time', '.rain-panel h2', '.rain-panel .facts dd'];
        if (weather !== 'calm') leading.push('.sign.bad');
        for (const selector of leading) expect(await sizeOf(selector)).toBeGreaterThanOrEqual(36);
      } finally {
        thaw();
      }
      await pause(channels, false);
      await stage.deleteChannels(...channels.map(({ id }) => id));
      await rain.sql(`update activity set closes_at = now() where name ~ '^Large'`);
    },
  );

  it('fills a screen without its navigation, and brings the navigation back', async () => {
    const { page } = await stage.staff('/wall', 'support');
    await press(page, 'Full screen');
    await page.locator('header.top').waitFor({ state: 'hidden' });
    for (const [width, height, letters] of [
      [1920, 1080, 16],
      [1280, 720, 32 / 3],
      [3840, 2160, 32],
    ] as const) {
      await page.setViewportSize({ width, height });
      const drawn = await page.evaluate<string>('getComputedStyle(document.documentElement).fontSize');
      expect(parseFloat(drawn)).toBeCloseTo(letters, 1);
    }
    await press(page, 'Leave full screen');
    await page.locator('header.top').waitFor();
  });

  const stopped = (pid: number) => {
    process.kill(pid, 'SIGSTOP');
    return () => void process.kill(pid, 'SIGCONT');
  };

  /** Waits for a red sign. Returns when the wall drew it; a busy test may learn of it later. */
  const turnsRed = (page: Page, { source }: RegExp): Promise<number> =>
    page.evaluate<number>(`new Promise((resolve, reject) => {
      setTimeout(reject, 60_000, new Error('It is not red.'));
      const isRed = () =>
        [...document.querySelectorAll('.sign.bad')].some(({ textContent }) => /${source}/.test(textContent));
      const look = () => (isRed() ? resolve(Date.now()) : requestAnimationFrame(look));
      look();
    })`);

  interface Harm {
    readonly what: string;
    readonly sentence: RegExp;
    readonly signs: 'fresh' | 'stale';
    readonly panel: 'fresh' | 'stale';
    readonly begin: (page: Page) => Promise<() => unknown>;
  }

  const HARMS: readonly Harm[] = [
    {
      what: 'an API that hangs',
      sentence: /The API has not answered for \d/,
      signs: 'stale',
      panel: 'stale',
      begin: async () => stopped(stage.rain.api.pid),
    },
    {
      what: 'a network that is cut',
      sentence: /This device is offline/,
      signs: 'stale',
      panel: 'stale',
      begin: async (page) => {
        await page.context().setOffline(true);
        return () => page.context().setOffline(false);
      },
    },
    {
      what: 'a worker that hangs',
      sentence: /No worker has been seen for \d/,
      signs: 'fresh',
      panel: 'fresh',
      begin: async () => {
        await stage.rain.pauseWorker();
        return () => stage.rain.resumeWorker();
      },
    },
    {
      what: 'a Redis that hangs',
      sentence: /Whether a worker is running is unknown/,
      signs: 'fresh',
      panel: 'fresh',
      begin: async () => stopped(stage.rain.redisEngine.pid),
    },
    {
      what: 'a Postgres that hangs',
      sentence: /postgres is not reachable/,
      signs: 'fresh',
      panel: 'stale',
      begin: () => stage.freezePostgres(),
    },
  ];

  it.each(HARMS)(
    'shows $what in red within three seconds, and greys out whatever is not current',
    async ({ what, sentence, signs, panel: age, begin }) => {
      const name = `Beside ${what}`;
      const id = await stage.rain.createActivity({ name, packetCount: 2, totalAmount: '6.00' });
      const { page } = await stage.staff(`/wall?first=${id}`, 'support');
      const panel = page.getByRole('article', { name });
      await panel.locator('.polled.fresh').waitFor();
      await unfold(page);
      await says(page, 'A worker is running');
      const mend = await begin(page);
      const startMs = Date.now();
      try {
        const seconds = ((await turnsRed(page, sentence)) - startMs) / 1_000;
        expect(seconds).toBeLessThan(3);
        await page.locator(`.signs.polled.${signs}`).waitFor();
        await panel.locator(`.polled.${age}`).waitFor();
        if (age === 'stale') {
          await says(page, /No answer for \d+ s\. This is as of/);
          expect(await seriousFaults(page)).toEqual([]);
        }
      } finally {
        await mend();
      }
      await says(page, 'A worker is running');
      await says(page, /All (other )?wins are paid/);
      await panel.locator('.polled.fresh').waitFor();
      await page.locator('.sign', { hasText: /: ok, answered in/ }).waitFor();
    },
  );
}
