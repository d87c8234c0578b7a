import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Browser, Page, Route } from 'playwright-core';
import { Installation } from '../harness/installation';
import { describeInBrowser, DESK, openBrowser, Visitor } from './chromium';
import { fill, press, says } from './stage';

const API = 'https://rain.example';

const MANNERS = {
  auth0: { JWT_ROLE_CLAIM: `${API}/roles`, OIDC_AUDIENCE: API },
  entra: {
    JWT_ROLE_CLAIM: 'roles',
    JWT_ROLE_NAMES: 'operator=Rain.Operator',
    OIDC_SCOPE: `openid offline_access ${API}/.default`,
  },
  keycloak: { JWT_ROLE_CLAIM: 'realm_access.roles' },
};
type Manner = keyof typeof MANNERS;

/** Settings of programs that accept only a provider's tokens, and whose console signs in as `OIDC_CLIENT_ID`. */
const settingsFor = (issuer: string, manner: Manner): NodeJS.ProcessEnv => ({
  JWT_SECRET: '',
  JWT_AUDIENCE: API,
  JWT_ISSUER: issuer,
  JWT_JWKS_URL: `${issuer}/jwks`,
  OIDC_CLIENT_ID: manner,
  OIDC_ISSUER: issuer,
  ...MANNERS[manner],
});

describeInBrowser('staff with an account', () => {
  let provider: ChildProcess;
  let issuer: string;
  let rain: Installation;
  let browser: Browser;
  let visitor: Visitor;
  const urls = {} as Record<Manner, string>;

  beforeAll(async () => {
    provider = spawn(process.execPath, [join(__dirname, 'identity-provider.mjs')], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [line] = (await once(provider.stdout!, 'data')) as [Buffer];
    issuer = line.toString().trim();
    rain = await Installation.start(settingsFor(issuer, 'keycloak'));
    urls.keycloak = rain.url;
    for (const manner of ['auth0', 'entra'] as const)
      urls[manner] = (await rain.startAnother('main.js', settingsFor(issuer, manner))).url;
    browser = await openBrowser();
  });

  beforeEach(async () => {
    visitor = await Visitor.come(browser, { viewport: DESK });
  });

  afterEach(() => visitor.leave());

  afterAll(async () => {
    await browser.close();
    await rain.stop();
    provider.kill();
  });

  async function comeTo(manner: Manner, path: string, user = 'olga'): Promise<Page> {
    const { page } = visitor;
    await page.goto(`${urls[manner]}/console${path}`);
    await press(page, 'Sign in with your account');
    await page.getByPlaceholder('Enter any login').fill(user);
    await page.getByPlaceholder('and password').fill('any');
    await press(page, 'Sign-in');
    return page;
  }

  it.each(['auth0', 'entra', 'keycloak'] as const)(
    'sign in and out at a provider that works like %s',
    async (manner) => {
      const answered = visitor.page.waitForResponse((one) => one.url().includes('/v1/audit'));
      const page = await comeTo(manner, '/audit?actor=op');
      expect((await answered).status()).toBe(200);
      await says(page, 'olga · operator');
      await page.getByRole('heading', { name: 'Audit' }).waitFor();
      expect(page.url()).toBe(`${urls[manner]}/console/audit?actor=op`);
      await press(page, 'Sign out');
      await press(page, 'Yes, sign me out');
      await page.getByLabel('Token').waitFor();
      await press(page, 'Sign in with your account');
      await page.getByPlaceholder('Enter any login').waitFor();
    },
  );

  it.each(['entra', 'keycloak'] as const)(
    'stay signed in at a provider that works like %s, and keep what they typed',
    async (manner) => {
      const page = await comeTo(manner, '/activities/new', 'brief');
      await fill(page, 'Name', 'Lunch');
      const renewal = async () => {
        const response = await page.waitForResponse(
          (one) => one.request().postData()?.includes('grant_type=refresh_token') ?? false,
        );
        expect(response.status()).toBe(200);
      };
      await renewal();
      await renewal();
      expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Lunch');
      const answered = page.waitForResponse((one) => one.url().includes('/v1/audit'));
      await page.getByRole('link', { name: 'Audit' }).click();
      expect((await answered).status()).toBe(200);
    },
  );

  it('are warned before a sign-in that is not renewed ends, and informed when it has ended', async () => {
    const page = await comeTo('auth0', '/wall', 'brief');
    await says(page, 'Your sign-in ends at');
    await says(page, 'Your sign-in has ended');
  });

  it('sign in again after the end in a tab that closes by itself, and find what they had typed', async () => {
    const page = await comeTo('auth0', '/activities/new', 'brief');
    await fill(page, 'Name', 'Lunch');
    await says(page, 'Your sign-in has ended');
    const opened = visitor.context.waitForEvent('page');
    await press(page, 'Sign in with your account');
    const other = await opened;
    await other.waitForEvent('close');
    await page.getByRole('heading', { name: 'New activity' }).waitFor();
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Lunch');
  });

  /** Sends the visitor back at once, with this answer. */
  async function receive(answer: Record<string, string>): Promise<void> {
    const { page } = visitor;
    await page.route('**/auth?*', (route: Route) => {
      const state = new URL(route.request().url()).searchParams.get('state')!;
      const back = new URLSearchParams({ state, ...answer });
      const location = `${urls.keycloak}/console?${back.toString()}`;
      return route.fulfill({ status: 303, headers: { location } });
    });
    await page.goto(`${urls.keycloak}/console/wall`);
    await press(page, 'Sign in with your account');
  }

  it('are not signed in by an answer from another provider', async () => {
    await receive({ code: 'x', iss: 'https://other.example' });
    await says(visitor.page, /gave no valid answer.*iss/);
  });

  it('are not signed in by an answer to another request', async () => {
    await visitor.page.route('**/token', async (route: Route) => {
      const response = await route.fetch();
      const answer = (await response.json()) as { id_token: string };
      const [header, claims, signature] = answer.id_token.split('.');
      const changed = { ...(JSON.parse(atob(claims!)) as object), nonce: 'of-another-request' };
      const payload = Buffer.from(JSON.stringify(changed)).toString('base64url');
      return route.fulfill({ response, json: { ...answer, id_token: `${header}.${payload}.${signature}` } });
    });
    const page = await comeTo('keycloak', '/wall');
    await says(page, /gave no valid answer.*nonce/);
    expect(await page.getByRole('heading', { name: 'Wall' }).count()).toBe(0);
  });

  it('read that the provider refused them, and why', async () => {
    await receive({ error: 'access_denied', error_description: 'Not on shift.', iss: issuer });
    await says(visitor.page, 'The sign-in service refused: access_denied (Not on shift.)');
  });
});
