import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { isStaff, type Role, ROLES } from '../../libs/roles';
import { waitFor } from '../harness/engines';
import { planOf } from '../harness/installation';
import { echo, PayoutReceiver, reply } from '../harness/payout-receiver';
import { WORDS } from '../harness/console-words';
import { says, type Stage } from './stage';
import { walk } from './walk';

interface ApiDocument {
  readonly paths: Record<string, Record<string, { 'x-roles'?: readonly Role[] }>>;
}

/**
 * Actions that another action undoes, that can be repeated harmlessly, or that only ask a second person, and forms,
 * which do nothing while a field is empty. All other actions must be confirmed by a name.
 */
const HARMLESS =
  /^(Freeze|Unfreeze|Replay|Release|Resolve|Pause|Resume|Withdraw|Take|Set budget|End budget|Ask the channel now|Record|Statement|Send|Reverse|New|Upload|Change|Create a key)\b/;

/** A message is given up only after days; a case of records.cases.ts sends one again. */
const OF_A_DEAD_MESSAGE = /Send (all )?again/;

export function rolesCases(stage: Stage): void {
  let rolesOf: (method: string, path: string) => readonly Role[] | undefined;
  /** The pages that an operator reaches: links to them may be sent to anyone. */
  const pages = new Set<string>();
  /** Pages with every kind of decision. */
  let places: readonly string[];
  let receiver: PayoutReceiver;
  /** A payout that its channel, which is paused, has not ended. */
  let underway: { readonly id: string; readonly channelId: string };

  beforeAll(async () => {
    const { rain } = stage;
    rolesOf = rolesIn((await (await fetch(`${rain.url}/openapi.json`)).json()) as ApiDocument);
    const channelId = await stage.createChannel('Walked');
    await rain.operator().post('/v1/wallets/walker/deposits', { amount: '9.00' });
    await rain.user('walker').post('/v1/me/payouts', { amount: '4.00', channelId });
    const id = await rain.createActivity({ name: 'Walked', packetCount: 2, totalAmount: '4.00' });
    await rain.user('walker').post(`/v1/activities/${id}/grabs`);
    await rain.operator().post('/v1/wallets/frosty/freeze');
    await rain.user('frosty').post(`/v1/activities/${id}/grabs`);
    await rain.user('later').post(`/v1/activities/${id}/waitlist`);
    await rain.settled(id);
    for (const role of ['operator', 'campaign'] as const)
      await rain
        .as(role, `asking-${role}`)
        .post('/v1/activities', planOf({ sponsorId: 'w', totalAmount: '2000.00' }));
    const { body: hook } = await rain.operator().post('/v1/webhooks', { url: 'http://127.0.0.1:9/walked' });
    underway = await payOutToPausedChannel();
    await rain.operator().patch('/v1/wallets/walker/budget', { perDay: '5.00' });
    const planned = await rain.createActivity({ name: 'Planned', opensInMs: 600_000 });
    const linked = await rain.createActivity({ name: 'By link', audience: { kind: 'link' } });
    const pool = await rain.operator().post('/v1/code-pools', { name: 'Walked', sponsorId: 'walker' });
    await stage.handInAWrongFile(channelId);
    const { body: erasure } = await rain.operator().post('/v1/users/walked-away/erasures');
    await rain.as('operator', 'second').post(`/v1/approvals/${erasure.id}/approve`);
    places = [
      ...[
        'approvals',
        'wallets/walker',
        'wallets/frosty',
        'dead-letters?user=frosty',
        `activities/${planned}`,
      ],
      ...[`webhooks/${hook.id}`, `payouts/channels/${underway.channelId}`, `payouts/channels/${channelId}`],
      ...[`payouts/findings?channel=${channelId}`, `activities/${id}`, `code-pools/${pool.body.id}`],
      ...(await createSeries()).map((one) => `series/${one}`),
      'erasures?user=nobody-yet',
      `activities/${linked}/players`,
      ...['top-up', 'players', 'fairness'].map((tab) => `activities/${planned}/${tab}`),
    ].map((path) => `/console/${path}`);
  });

  afterAll(async () => {
    const { id, channelId } = underway;
    await stage.rain.operator().patch(`/v1/payout-channels/${channelId}`, { paused: false });
    await stage.rain.channel(channelId).post('/v1/payouts/outcomes', { outcomes: [{ id, outcome: 'paid' }] });
    await receiver.stop();
  });

  /** Creates one series that is active and one that is paused. */
  async function createSeries(): Promise<string[]> {
    const create = () => stage.createSeries({ sponsorId: 'walker' });
    const [active, paused] = [await create(), await create()];
    expect((await stage.rain.operator().post(`/v1/series/${paused}/pause`)).status).toBe(200);
    return [active, paused];
  }

  async function payOutToPausedChannel(): Promise<typeof underway> {
    receiver = await PayoutReceiver.start();
    for (const call of ['PUT caller', 'GET caller'])
      receiver.let(call, (response, asked) =>
        reply(response, 202, { ...echo(asked), state: 'processing', externalId: 'T-1' }),
      );
    const operator = stage.rain.operator();
    const channelId = await stage.createChannel('Called', { smallest: '1.00' }, receiver.url);
    await operator.post('/v1/wallets/caller/deposits', { amount: '9.00' });
    const ask = { amount: '4.00', channelId };
    const { body: payout } = await stage.rain.user('caller').post('/v1/me/payouts', ask);
    const id = payout.id as string;
    const stateOf = async () => (await operator.get(`/v1/payouts/${id}`)).body.state as string;
    await waitFor(async () => (await stateOf()) === 'processing', { what: 'the answer of the channel' });
    await operator.patch(`/v1/payout-channels/${channelId}`, { paused: true });
    return { id, channelId };
  }

  it.each(['operator', ...ROLES.filter((role) => isStaff(role) && role !== 'operator'), 'channel'] as const)(
    'every link leads %s to a page that requests only what the role may read, and so does the address of any other page',
    async (role) => {
      const { page } = await stage.staff('/', role, { sub: `walking-${role}` });
      const wrong: string[] = [];
      const under = new Set<object>();
      page.on('request', (request) => {
        const { pathname } = new URL(request.url());
        if (!pathname.startsWith('/v1/')) return;
        under.add(request);
        const roles = rolesOf(request.method(), pathname);
        if (roles && !roles.includes(role)) wrong.push(`${request.method()} ${pathname} on ${page.url()}`);
      });
      page.on('requestfinished', (request) => under.delete(request));
      page.on('requestfailed', (request) => under.delete(request));
      page.on('response', (response) => {
        if (response.status() === 403) wrong.push(`403 of ${response.url()} on ${page.url()}`);
      });
      const linked = await walk(page, stage.rain.url, async (path) => {
        await waitFor(async () => under.size === 0, { what: `the answers for ${path}` });
        if (await page.getByText('not for your role').count()) wrong.push(`a link to ${path}`);
      });
      expect(linked.size).toBeGreaterThan(role === 'channel' ? 0 : 5);
      if (role === 'operator') for (const path of linked) pages.add(path);
      for (const path of [...pages].filter((path) => !linked.has(path))) {
        await page.goto(stage.rain.url + path);
        await page.getByRole('heading', { level: 1 }).waitFor();
        await waitFor(async () => under.size === 0, { what: `the answers for ${path}` });
        expect(await page.getByText('Not allowed').count()).toBe(0);
      }
      expect(wrong).toEqual([]);
    },
  );

  it('no action of a dialog has the focus, Enter does nothing, and an irreversible action has to be confirmed by a name', async () => {
    const { page } = await stage.staff('/', 'operator', { sub: 'pressing' });
    const [seen, wrong] = [new Set<string>(), [] as string[]];
    page.on('request', (request) => {
      const isDeed = request.method() !== 'GET' && !/previews$/.test(request.url());
      if (isDeed) wrong.push(`${request.method()} ${request.url()}`);
    });
    const look = async () => {
      const openers = page.locator('main button[aria-haspopup=dialog]');
      // A short one has its whole title as its name.
      const titles = await openers.evaluateAll((buttons) =>
        buttons.map((button) => button.getAttribute('aria-label') ?? button.textContent),
      );
      for (const title of new Set(titles)) {
        if (seen.has(title)) continue;
        seen.add(title);
        await page.getByRole('button', { name: title, exact: true }).first().click();
        const fault = await faultOfDialog(page, title);
        if (fault) wrong.push(`${title}: ${fault}`);
      }
    };
    // What can be done about a payout depends on its channel, which is read after it.
    await page.goto(`${stage.rain.url}/console/payouts/${underway.id}`);
    await page.getByRole('button', { name: 'Ask the channel now' }).waitFor();
    await look();
    await walk(page, stage.rain.url, look, { starts: places, alikeMax: 2 });
    expect(wrong).toEqual([]);
    const unseen = titlesInSource().filter(
      (title) => !OF_A_DEAD_MESSAGE.test(title.source) && ![...seen].some((one) => title.test(one)),
    );
    expect(unseen).toEqual([]);
  });

  it('a page for other roles says so to anyone who opens its address', async () => {
    const { page } = await stage.staff('/wallets/ann', 'campaign');
    await says(page, 'Wallets: not for your role');
    await says(page, /^This page is for the roles .*finance.*\. You are signed in as campaign\.$/);
    await page.getByRole('main').getByRole('link', { name: 'Activities' }).click();
    await page.getByRole('heading', { name: 'Activities' }).waitFor();
  });
}

/** Presses Enter in an open dialog, and closes it. */
async function faultOfDialog(page: Page, title: string): Promise<string | undefined> {
  const dialog = page.getByRole('dialog');
  await dialog.waitFor();
  const focused = await dialog.evaluate(({ ownerDocument: { activeElement } }) => {
    const isSubmit = activeElement?.tagName === 'BUTTON' && activeElement.getAttribute('type') !== 'button';
    return { isSubmit, isInside: activeElement?.closest('dialog') !== null };
  });
  const named = await dialog.getByLabel(/^Type ".+" to confirm$/).count();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  if (focused.isSubmit || !focused.isInside) return 'the focus';
  return named > 0 || HARMLESS.test(title) ? undefined : 'no name is asked for';
}

/** The titles of dialogs that have a text of their own in the source. */
function titlesInSource(): RegExp[] {
  const root = join('src', 'web', 'console', 'views');
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.tsx'),
  );
  return files.flatMap((file) =>
    Array.from(
      readFileSync(join(root, file), 'utf8').matchAll(/<Confirmed[^>]*?title=\{words\.([\w.]+)/g),
      ([, path]) => patternOf(path!),
    ),
  );
}

function patternOf(path: string): RegExp {
  const text = path
    .split('.')
    .reduce<unknown>((node, key) => (node as Record<string, unknown>)[key], WORDS.en);
  const title = typeof text === 'function' ? (text as (value: string) => string)('\u0000') : (text as string);
  return new RegExp(`^${title.replace('\u0000', '.+')}$`);
}

function rolesIn({ paths }: ApiDocument) {
  const routes = Object.entries(paths).flatMap(([template, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      pattern: new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`),
      isExact: !template.includes('{'),
      roles: operation['x-roles'],
    })),
  );
  return (method: string, path: string) => {
    const fitting = routes.filter((route) => route.method === method && route.pattern.test(path));
    return (fitting.find(({ isExact }) => isExact) ?? fitting[0])?.roles;
  };
}
