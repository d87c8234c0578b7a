import type { Browser, Locator, Page } from 'playwright-core';
import type { Role } from '../../libs/roles';
import type { Engine } from '../../src/dev/engines';
import { type ActivityPlan, Installation, planOf } from '../harness/installation';
import { freezePostgres, startOwnPostgres } from '../harness/own-postgres';
import { DESK, openBrowser, Visitor, type VisitorOptions } from './chromium';

/** The only foreign origin that may embed the page of a rain. */
export const APP = 'http://app.example';

/** An image of one pixel. */
export const GOLDEN_POINT =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mP4f50BAASvAdf+LcOSAAAAAElFTkSuQmCC';

/** A common phone. */
export const HAND = { width: 390, height: 844 };

/** A deposit above this amount needs a second person. */
export const APPROVAL_ABOVE = '1000.00';

/** A pool of codes. */
export interface Pool {
  readonly id: string;
  readonly currency: string;
}

/** Programs, engines and a browser that all tests of pages share. */
export class Stage {
  rain!: Installation;
  private postgres?: Engine;
  private browser?: Promise<Browser>;
  private readonly visitors: Visitor[] = [];

  async set(): Promise<void> {
    this.rain = await Installation.startWithWorker({
      APPROVAL_ABOVE,
      CODE_SEAL_KEY: Buffer.alloc(32, 7).toString('base64'),
      CORS_ORIGINS: APP,
      RAIN_GUESTS: 'true',
      // A script presses buttons faster than people do.
      RATE_LIMIT_USER_PER_SECOND: '1000',
      WEBHOOK_PRIVATE_ADDRESSES: 'true',
    });
  }

  /** Does the same on a Postgres of its own, which a test can freeze. */
  async setApart(): Promise<void> {
    this.postgres = await startOwnPostgres();
    await this.set();
  }

  freezePostgres(): Promise<() => void> {
    return freezePostgres(this.postgres!);
  }

  async clear(): Promise<void> {
    const leaving = this.visitors.splice(0);
    await Promise.all(leaving.map((visitor) => visitor.leave()));
    const ours = [this.rain.url, APP].map((url) => new URL(url).host);
    for (const { hosts, expectsStrangers } of leaving)
      if (!expectsStrangers) expect(ours).toEqual(expect.arrayContaining([...hosts]));
  }

  async strike(): Promise<void> {
    await (await this.browser)?.close();
    // The programs may not have started.
    await (this.rain as Installation | undefined)?.stop();
    await this.postgres?.stop();
  }

  async visitor(options: VisitorOptions = {}): Promise<Visitor> {
    this.browser ??= openBrowser();
    const visitor = await Visitor.come(await this.browser, options);
    this.visitors.push(visitor);
    return visitor;
  }

  async player(activityId: string, user: string, options: VisitorOptions = {}): Promise<Visitor> {
    const visitor = await this.visitor(options);
    await this.enter(visitor, activityId, user);
    return visitor;
  }

  /** A user on one of the pages for packets between people. */
  async visit(path: string, user: string, options: VisitorOptions = {}): Promise<Visitor> {
    const visitor = await this.visitor({ viewport: HAND, reducedMotion: 'reduce', ...options });
    await visitor.page.goto(`${this.rain.url}${path}#token=${this.rain.tokenOf(user)}`);
    return visitor;
  }

  async give(user: string, amount: string): Promise<void> {
    const { status } = await this.rain.operator().post(`/v1/wallets/${user}/deposits`, { amount });
    expect(status).toBe(201);
  }

  /** Creates a payout channel that nobody calls, unless the profile comes with a URL. Returns its id. */
  async createChannel(name: string, profile: object = { smallest: '1.00' }, url?: string): Promise<string> {
    const { status, body } = await this.rain.operator().post('/v1/payout-channels', { name, url, profile });
    if (status !== 201) throw new Error(`There is no channel ${name}: ${body.detail}`);
    return body.id as string;
  }

  /** There may be twenty at a time, so a test deletes what nothing else needs. */
  async deleteChannels(...ids: readonly string[]): Promise<void> {
    for (const id of ids) await this.rain.operator().delete(`/v1/payout-channels/${id}`);
  }

  /** Creates an activity whose only winner has a frozen wallet. Returns it once the win is a dead letter. */
  async deadLetterOf(user: string, plan: ActivityPlan): Promise<string> {
    const { rain } = this;
    const id = await rain.createActivity({ packetCount: 1, ...plan });
    await rain.operator().post(`/v1/wallets/${user}/freeze`);
    await rain.user(user).post(`/v1/activities/${id}/grabs`);
    await rain.settled(id);
    return id;
  }

  /** Creates a daily series that begins tomorrow. Returns its id. */
  async createSeries(plan: ActivityPlan): Promise<string> {
    const { opensAt: _, closesAt: __, ...terms } = planOf({ totalAmount: '1.00', ...plan });
    const start = `${new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)}T20:00:00`;
    const timing = { rrule: 'FREQ=DAILY', timeZone: 'UTC', start, durationSeconds: 60, count: 2 };
    const wish = { ...terms, ...timing, createAheadHours: 0 };
    return (await this.rain.operator().post('/v1/series', wish)).body.id as string;
  }

  /** The pending approvals of an action that are in a currency. */
  async pending(action: string, currency: string): Promise<{ id: string; amount: string }[]> {
    const { items } = (await this.rain.operator().get('/v1/approvals?status=pending&limit=100')).body;
    return items.filter(
      (one: { action: string; currency: string }) => one.action === action && one.currency === currency,
    );
  }

  /** Creates a sponsor's pool of codes, and uploads these codes to it. */
  async poolOf(sponsorId: string, codes: readonly string[] = []): Promise<Pool> {
    const { rain } = this;
    const { body } = await rain
      .operator()
      .post('/v1/code-pools', { name: `Gifts of ${sponsorId}`, sponsorId });
    if (codes.length === 0) return body as Pool;
    const answer = await fetch(`${rain.url}/v1/code-pools/${body.id}/codes`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${rain.tokenOf(sponsorId)}`,
        'content-type': 'text/csv',
        'idempotency-key': `codes-of-${sponsorId}`,
      },
      body: codes.join('\n'),
    });
    expect(answer.status).toBe(200);
    return body as Pool;
  }

  /** Hands in a file whose only line is about a payout that does not exist, which becomes a finding. */
  async handInAWrongFile(channelId: string): Promise<void> {
    const { rain } = this;
    const day = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
    const authorization = `Bearer ${rain.tokenOf('shop', 'channel', channelId)}`;
    const answer = await fetch(`${rain.url}/v1/payout-channels/${channelId}/statements?day=${day}`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'text/csv', 'idempotency-key': `file-${day}` },
      body: `payoutId,userId,amount,state,at\n999998,nobody,1.00,paid,${day}T08:00:00Z\n`,
    });
    expect(answer.status).toBeLessThan(300);
  }

  /** @param url the address at which the visitor finds the page and the API */
  async enter({ page }: Visitor, activityId: string, user: string, url = this.rain.url): Promise<void> {
    await page.goto(`${url}/rain/${activityId}#token=${this.rain.tokenOf(user)}`);
  }

  async staff(
    path: string,
    role: Role,
    { sub = role, channelId, ...options }: VisitorOptions & { sub?: string; channelId?: string } = {},
  ): Promise<Visitor> {
    const visitor = await this.visitor({ viewport: DESK, ...options });
    await visitor.page.goto(`${this.rain.url}/console${path}`);
    await signIn(visitor.page, this.rain.tokenOf(sub, role, channelId));
    return visitor;
  }
}

/** Forbids WebSockets, like a policy that some browsers interpret strictly. */
export const forbidWebSockets = (page: Page) =>
  page.addInitScript(
    `WebSocket = class { constructor() { throw new DOMException('No.', 'SecurityError') } }`,
  );

/** Waits until the page shows these words. The same words may be hidden elsewhere, as the option of a list. */
export const says = (page: Page, text: string | RegExp): Promise<void> =>
  page.getByText(text).filter({ visible: true }).first().waitFor();

export const grab = (page: Page): Promise<void> =>
  page.getByRole('button', { name: 'Grab a red packet' }).click();

export const fill = (page: Page, label: string, text: string): Promise<void> =>
  page.getByLabel(label, { exact: true }).fill(text);

/** Fills in fields by their labels. */
export async function fillAll(page: Page, fields: Readonly<Record<string, string>>): Promise<void> {
  for (const [label, text] of Object.entries(fields)) await fill(page, label, text);
}

export const press = (page: Page, name: string): Promise<void> =>
  page.getByRole('button', { name, exact: true }).click();

export const value = (page: Page, label: string): Promise<string> =>
  page.getByLabel(label, { exact: true }).inputValue();

/** Waits until the story on a page has an entry with these words. */
export const tells = (page: Page, words: RegExp): Promise<void> =>
  page.getByRole('region', { name: 'Timeline' }).getByRole('listitem').filter({ hasText: words }).waitFor();

/** Opens a tab of an activity. */
export const openTab = (page: Page, name: string): Promise<void> =>
  page.getByRole('navigation', { name: 'Parts of the page' }).getByRole('link', { name }).click();

export async function signIn(page: Page, token: string): Promise<void> {
  await fill(page, 'Token', token);
  await press(page, 'Sign in');
}

/**
 * Presses a button, and then the button below the sentence that says what it will do.
 *
 * @param place the page, or the row of a table that has this button in several rows
 */
export async function confirm(place: Page | Locator, name: string, reason?: string): Promise<string> {
  await place.getByRole('button', { name, exact: true }).click();
  const page = 'page' in place ? place.page() : place;
  const dialog = page.getByRole('dialog', { name, exact: true });
  const consequence = await dialog.locator('p').first().innerText();
  // A sentence that is cut off would be confirmed unread.
  expect(await dialog.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
  const labels = await dialog.locator('label').allInnerTexts();
  const names = labels.filter((label) => label.startsWith('Type "'));
  for (const label of names)
    await dialog.getByLabel(label, { exact: true }).fill(label.slice(6, label.lastIndexOf('"')));
  const others = labels.filter((label) => !names.includes(label));
  expect(others).toHaveLength(reason === undefined ? 0 : 1);
  if (reason !== undefined) await dialog.getByLabel(others[0]!, { exact: true }).fill(reason);
  await dialog.getByRole('button', { name, exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
  return consequence;
}
