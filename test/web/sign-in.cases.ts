import type { Route } from 'playwright-core';
import { DESK } from './chromium';
import { press, says, signIn, type Stage } from './stage';

export function signInCases(stage: Stage): void {
  it('a token signs in, is kept until its tabs are closed, and is forgotten on demand', async () => {
    const { page } = await stage.visitor({ viewport: DESK });
    await page.goto(`${stage.rain.url}/console/audit`);
    await signIn(page, 'nonsense');
    await says(page, 'The token is not that of staff');
    await signIn(page, stage.rain.tokenOf('op', 'operator'));
    await page.getByRole('heading', { name: 'Audit' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Audit' }).waitFor();
    await press(page, 'Sign out');
    await page.reload();
    await page.getByLabel('Token').waitFor();
  });

  it('a tab that is signed in loads what it shows without waiting for the script of the page', async () => {
    const { page } = await stage.staff('/audit', 'operator');
    await page.getByRole('heading', { name: 'Audit' }).waitFor();
    const held: Route[] = [];
    await page.route('**/assets/console-*.js', (route) => void held.push(route));
    const asked = page.waitForRequest('**/assets/desk-*.js');
    const reloading = page.reload();
    await asked;
    expect(held).toHaveLength(1);
    await held[0]!.continue();
    await reloading;
    await page.getByRole('heading', { name: 'Audit' }).waitFor();
  });

  it('the console opens in the language that was chosen last, even while the texts of another were loading', async () => {
    const { page } = await stage.visitor({ viewport: DESK });
    const held: Route[] = [];
    await page.route(/\/assets\/(desk|zh)-/, (route) => void held.push(route));
    const desk = page.waitForRequest('**/assets/desk-*.js');
    await page.goto(`${stage.rain.url}/console/audit`, { waitUntil: 'commit' });
    await desk;
    await press(page, '中文');
    const texts = page.waitForRequest('**/assets/zh-*.js');
    await held[0]!.continue();
    await texts;
    await press(page, 'English');
    await held[1]!.continue();
    await signIn(page, stage.rain.tokenOf('op', 'operator'));
    await page.getByRole('heading', { name: 'Audit' }).waitFor();
    expect(await page.locator('html').getAttribute('lang')).toBe('en');
  });

  it('a token that the API does not accept leads to the sign-in, not to an empty page', async () => {
    const { page } = await stage.visitor({ viewport: DESK });
    const [header, payload] = stage.rain.tokenOf('op', 'operator').split('.');
    await page.goto(`${stage.rain.url}/console/activities`);
    const refusal = page.waitForResponse((response) => response.status() === 401);
    await signIn(page, `${header}.${payload}.forged`);
    await refusal;
    await page.getByLabel('Token').waitFor();
  });

  it('a link signs nobody in to the console, and changes nothing for someone who is signed in', async () => {
    const link = `${stage.rain.url}/console/activities#token=${stage.rain.tokenOf('mal', 'operator')}`;
    const { page } = await stage.visitor({ viewport: DESK });
    await page.goto(link);
    await page.getByLabel('Token').waitFor();
    expect(page.url()).toBe(`${stage.rain.url}/console/activities`);
    await signIn(page, stage.rain.tokenOf('op', 'operator'));
    await says(page, 'op · operator');
    await page.goto(link);
    await page.reload();
    await says(page, 'op · operator');
  });

  it('the link of a demo opens its wall', async () => {
    const demo = { DEMO_FAULTS_URL: 'http://127.0.0.1:9' };
    const { url } = await stage.rain.startAnother('main.js', demo);
    const visitor = await stage.visitor({ viewport: DESK });
    visitor.expectsStrangers = true;
    await visitor.page.goto(`${url}/console/wall#token=${stage.rain.tokenOf('demo-operator', 'operator')}`);
    await says(visitor.page, 'demo-operator · operator');
  });

  it('each role sees only what it may do, and users who are not staff see nothing', async () => {
    const { page: support } = await stage.staff('/wallets/bob', 'support');
    const links = () => support.getByRole('navigation').getByRole('link').allInnerTexts();
    await says(support, 'Balance');
    expect(await links()).toContain('Dead letters');
    expect(await support.getByRole('button', { name: 'Deposit' }).count()).toBe(0);
    const { page: campaign } = await stage.staff('/activities', 'campaign');
    await campaign.getByRole('link', { name: 'New activity' }).waitFor();
    const shown = await campaign.getByRole('navigation').getByRole('link').allInnerTexts();
    expect(shown).toEqual(['Activities', 'Series', 'Wall', 'Code pools', 'Ticket keys', 'Approvals']);
    const { page: user } = await stage.staff('/activities', 'user');
    await says(user, 'The token is not that of staff');
  });
}
