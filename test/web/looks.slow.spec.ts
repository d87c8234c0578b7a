import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { WORDS } from '../harness/console-words';
import { waitFor } from '../harness/engines';
import { planOf } from '../harness/installation';
import { createTicketKey } from '../harness/ticket';
import { faultsNow } from './accessibility';
import { describeInBrowser } from './chromium';
import { says, signIn, Stage } from './stage';
import { walk } from './walk';

const LOOK = readFileSync(join(__dirname, 'looks.js'), 'utf8');
/** Where `LOOKS=DIR` keeps a picture of every page in every combination. */
const { LOOKS } = process.env;

const LASTS_MS = 1_500_000;
const SIZES = [
  { width: 320, height: 568 },
  { width: 390, height: 844 },
  { width: 1280, height: 800 },
  { width: 1920, height: 1080 },
] as const;
const PHONE_MAX = 390;
/** The smallest target that a finger hits reliably. */
const FINGER_PX = 44;

const SCHEMES = ['light', 'dark'] as const;
const LANGUAGES = ['en', 'zh'] as const;
type Scheme = (typeof SCHEMES)[number];
type Language = (typeof LANGUAGES)[number];

/** Names that the test itself gives, which appear in both languages. */
const NAMED = [
  '新春红包雨，全体同事与家人共贺新年',
  'An anniversary rain with a name that no column was made for',
  'Acme International Trading and Logistics',
  '恭喜发财，大吉大利，万事如意',
  'Happy New Year to all of you!',
  'Called off',
  'Shop called',
  'Tea for a year',
  'Weekly tea',
  ...'Settled Shells SHELLS tea-house sponsor-of-a-rain-with-a-long-id sponsor'.split(' '),
  ...'winner-one frosty later caller looker asking-campaign sender shop operator'.split(' '),
  ...'Rain CODE1 nobody-yet nobody'.split(' '),
];

/** Pages of what does not exist, which say so below a heading. */
const NOT_THERE = [
  'nothing-here',
  'activities/999999',
  'activities/999999/report',
  'activities/999999/history',
  'series/999999',
  'code-pools/999999',
  'payouts/999999',
  'payouts/channels/999999',
  'wallets/nobody',
  'webhooks/999999',
  'wins/999999/nobody',
  'wins/1/nobody',
].map((path) => `/console/${path}`);

/** Names that no language translates. */
const NAMES = [
  ...'Hongbao Redis Postgres Webhook webhook API CSV JSON UTC URL ISO HTTP'.split(' '),
  ...'CNY HKD MOP SGD TWD USD English Ctrl OpenID RFC RRULE HMAC SHA-256'.split(' '),
  ...'App GMT SVG PNG WebP KiB Worker verify ECONNREFUSED'.split(' '),
];

/** Curves are drawn in their new size before the next frame is shown. */
const DRAWN = 'new Promise((shown) => requestAnimationFrame(() => requestAnimationFrame(shown)))';

class Findings {
  private readonly places = new Map<string, string[]>();

  add(place: string, faults: readonly string[]): void {
    for (const fault of faults) this.places.set(fault, [...(this.places.get(fault) ?? []), place]);
  }

  /** One line for each fault, with the places that have it. */
  get lines(): string[] {
    return [...this.places].map(
      ([fault, places]) => `${fault} @ ${places.length}: ${places.slice(0, 3).join('; ')}`,
    );
  }
}

describeInBrowser('every page, at four sizes, light and dark, in both languages,', () => {
  const stage = new Stage();
  let names: string[];
  let open: string;
  let starts: string[];

  beforeAll(async () => {
    await stage.setApart();
    ({ open, starts } = await fillWithData(stage));
    names = [...NAMED, ...NAMES, new URL(stage.rain.url).host].sort((a, b) => b.length - a.length);
  });
  afterEach(() => stage.clear());
  afterAll(() => stage.strike());

  /** Looks at the page at each size. Light pages are checked by all rules of axe, dark ones only for contrast. */
  async function look(page: Page, findings: Findings, path: string, language: Language, scheme: Scheme) {
    for (const size of SIZES) {
      await page.setViewportSize(size);
      await page.evaluate(DRAWN);
      const options = { language, names, mainPx: size.width <= PHONE_MAX ? FINGER_PX : 0 };
      const place = `${path} ${size.width} ${scheme} ${language}`;
      findings.add(
        place,
        await page.evaluate<string[]>(`(${LOOK.replace(/;\s*$/, '')})(${JSON.stringify(options)})`),
      );
      if (size.width >= PHONE_MAX && size.width !== 1280)
        findings.add(place, await faultsNow(page, scheme === 'dark' ? ['color-contrast'] : undefined));
      if (LOOKS) await keep(page, place);
    }
  }

  async function keep(page: Page, place: string): Promise<void> {
    mkdirSync(LOOKS!, { recursive: true });
    await page.screenshot({ path: join(LOOKS!, `${place.replace(/[^\w.-]+/g, '_')}.png`) });
  }

  it(
    'of the console shows nothing that is cut off, covered, too small, unreadable or in another language',
    async () => {
      const { page: walker } = await stage.staff('/', 'operator', { sub: 'looker' });
      const paths = [...new Set([...starts, ...(await walk(walker, stage.rain.url, async () => {}))])];
      expect(paths.length).toBeGreaterThan(25);
      const findings = new Findings();
      for (const colorScheme of SCHEMES)
        for (const language of LANGUAGES) {
          const options = { colorScheme, reducedMotion: 'reduce' } as const;
          const { page } = await stage.visitor({ ...options, viewport: SIZES[2] });
          await page.goto(`${stage.rain.url}/console`);
          await signIn(page, stage.rain.tokenOf('looker', 'operator'));
          if (language === 'zh') {
            await page.getByRole('button', { name: '中文' }).click();
            await page.getByRole('button', { name: 'English' }).waitFor();
          }
          const loading = page
            .locator('.skeleton, .curve > :empty')
            .or(page.getByText(WORDS[language].common.loading));
          for (const path of [...paths, ...NOT_THERE]) {
            await goWithin(page, path);
            await waitFor(async () => (await loading.count()) === 0, { what: `the answers for ${path}` });
            await look(page, findings, path, language, colorScheme);
          }
        }
      expect(findings.lines).toEqual([]);
    },
    LASTS_MS,
  );

  it(
    'of players, senders, visitors and people signing in shows nothing that is cut off, covered or in another language',
    async () => {
      const { url } = stage.rain;
      const account = await stage.rain.startAnother('main.js', {
        OIDC_CLIENT_ID: 'console',
        OIDC_ISSUER: 'http://127.0.0.1:9',
      });
      const as = (user: string) => `#token=${stage.rain.tokenOf(user)}`;
      const pages = [
        ...['/', '/nothing-here', '/rain/abc', '/console', `/rain/${open}`].map((path) => url + path),
        ...[
          `/rain/999999${as('player')}`,
          `/rain/${open}${as('player')}`,
          `/rain/${open}${as('winner-one')}`,
        ],
        ...[`/send${as('sender')}`, `/me${as('winner-one')}`, '/send', '/me'],
        `${account.url}/console`,
      ].map((path) => (path.startsWith('http') ? path : url + path));
      const findings = new Findings();
      for (const colorScheme of SCHEMES)
        for (const language of LANGUAGES)
          for (const address of pages) {
            const locale = language === 'zh' ? 'zh-CN' : 'en';
            const visitor = await stage.visitor({ colorScheme, reducedMotion: 'reduce', locale });
            visitor.expectsStrangers = true;
            await visitor.page.goto(address, { waitUntil: 'networkidle' });
            const place = address
              .replace(url, '')
              .replace(account.url, 'OpenID:')
              .replace(/token=.*/, 'token');
            await look(visitor.page, findings, place, language, colorScheme);
            await visitor.leave();
          }
      expect(findings.lines).toEqual([]);
    },
    LASTS_MS,
  );

  it('of the queue board has legible colours in both schemes', async () => {
    const findings = new Findings();
    for (const colorScheme of SCHEMES) {
      const { page } = await stage.staff('/wall', 'operator', { colorScheme });
      await page.getByRole('button', { name: WORDS.en.navigation.queues }).click();
      await says(page, 'Hongbao queues');
      findings.add(`queues ${colorScheme}`, await faultsNow(page, ['color-contrast']));
      if (LOOKS) await keep(page, `queues 1920 ${colorScheme}`);
    }
    expect(findings.lines).toEqual([]);
  });
});

/** Goes to a page of the console in the way its links do. */
async function goWithin(page: Page, path: string): Promise<void> {
  await page.evaluate(
    `history.pushState(null, '', ${JSON.stringify(path)}); dispatchEvent(new Event('console.moved'))`,
  );
  await page.getByRole('heading', { level: 1 }).first().waitFor();
}

/** Everything that a page can list, with long names and large sums. */
async function fillWithData(stage: Stage): Promise<{ open: string; starts: string[] }> {
  const { rain } = stage;
  const operator = rain.operator();
  const long = { sponsorId: 'sponsor-of-a-rain-with-a-long-id' };
  const theme = {
    sender: 'Acme International Trading and Logistics',
    greeting: '恭喜发财，大吉大利，万事如意',
  };
  await operator.post('/v1/currencies', { code: 'SHELLS', kind: 'points', name: 'Shells' });
  const channelId = await stage.createChannel('Shop called');
  const open = await rain.createActivity({
    ...long,
    name: '新春红包雨，全体同事与家人共贺新年',
    totalAmount: '900.00',
    packetCount: 50,
    theme,
    showsBestLuck: true,
  });
  const planned = await rain.createActivity({
    ...long,
    name: 'An anniversary rain with a name that no column was made for',
    opensInMs: 3_000_000,
    admission: 'ticket',
  });
  const settled = await rain.createActivity({ name: 'Settled', packetCount: 2, totalAmount: '4.00' });
  const cancelled = await rain.createActivity({ name: 'Called off', opensInMs: 3_000_000 });
  await operator.post(`/v1/activities/${cancelled}/cancel`);
  await operator.post('/v1/wallets/frosty/freeze');
  for (const user of ['winner-one', 'frosty']) {
    await rain.user(user).post(`/v1/activities/${open}/grabs`);
    await rain.user(user).post(`/v1/activities/${settled}/grabs`);
  }
  await rain.user('later').post(`/v1/activities/${settled}/waitlist`);
  await rain.settled(settled);
  await operator.post(`/v1/activities/${settled}/close`);
  for (const user of ['caller', 'sender', 'winner-one']) await stage.give(user, '999.00');
  const payouts: string[] = [];
  for (const amount of ['4.00', '5.00', '6.00', '777.00']) {
    const { body } = await rain.user('caller').post('/v1/me/payouts', { amount, channelId });
    payouts.push(body.id as string);
  }
  const outcomes = ['paid', 'refused', 'processing'].map((outcome, i) => ({ id: payouts[i], outcome }));
  await rain.channel(channelId).post('/v1/payouts/outcomes', { outcomes });
  await stage.handInAWrongFile(channelId);
  const tall = planOf({ ...long, totalAmount: '9876543.21', packetCount: 5_000 });
  await rain.as('campaign', 'asking-campaign').post('/v1/activities', tall);
  const { body: hook } = await operator.post('/v1/webhooks', { url: 'http://127.0.0.1:9/walked' });
  const pool = { name: 'Tea for a year', sponsorId: 'tea-house' };
  const { body: codes } = await operator.post('/v1/code-pools', pool);
  await createTicketKey(rain, 'tea-house');
  const series = await stage.createSeries({ name: 'Weekly tea' });
  const starts = [
    ...['', '/approvals', '/approvals/mine', '/dead-letters', '/wallets/winner-one', '/wallets/frosty'],
    ...['/files', '/payouts/channels', '/payouts/findings', '/ticket-keys/tea-house'],
    ...[`/wins/${open}/winner-one`, `/activities/new?like=${open}`],
    ...[open, planned, settled, cancelled].map((id) => `/activities/${id}`),
    ...[`/activities/${settled}/report`, `/series/${series}`, `/series/${series}/change`],
    ...[`/webhooks/${hook.id}`, `/code-pools/${codes.id}`, `/payouts/channels/${channelId}`],
    '/erasures?user=nobody-yet',
    ...[`/payouts/findings?channel=${channelId}`, ...payouts.map((id) => `/payouts/${id}`)],
  ].map((path) => `/console${path}`);
  return { open, starts };
}
