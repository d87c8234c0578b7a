import type { BrowserContext, Page } from 'playwright-core';
import { waitFor } from '../harness/engines';
import { planOf } from '../harness/installation';
import { answerProblem, keyOf, loseFirstAnswer } from './requests';
import { confirm, fill, press, says, signIn, type Stage, value } from './stage';

export function sessionCases(stage: Stage): void {
  const tokenOf = (sub = 'finance') => stage.rain.tokenOf(sub, 'finance');

  /** Answers the next request to this address as if the token had expired. */
  const expireAt = (page: Page, address: string) =>
    page.route(address, (route) => answerProblem(route, 401, 'auth.unauthenticated'), { times: 1 });

  it('the fields of a form survive its end, and the next attempt has the key of the lost one', async () => {
    const { page } = await stage.staff('/wallets/keeper', 'finance');
    await press(page, 'New deposit');
    await fill(page, 'Amount', '3.00');
    await fill(page, 'Reference', 'bank-9');
    const keys: string[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/deposits')) keys.push(keyOf(request)!);
    });
    await loseFirstAnswer(page, '**/deposits', keyOf);
    await confirm(page, 'Deposit');
    await says(page, 'The API does not answer.');
    await expireAt(page, '**/deposits');
    await confirm(page, 'Deposit');
    await says(page, 'Your sign-in has ended. Sign in again to continue where you were.');
    expect(await page.getByText('There is no CNY wallet of keeper').isVisible()).toBe(false);
    // Only then is Escape for the sign-in, which stays.
    await page.getByLabel('Token').waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await signIn(page, tokenOf());
    await page.getByRole('heading', { name: 'Wallet of keeper' }).waitFor();
    expect([await value(page, 'Amount'), await value(page, 'Reference')]).toEqual(['3.00', 'bank-9']);
    await confirm(page, 'Deposit');
    await says(page, 'Deposited. The balance is 3.00 CNY.');
    expect(keys).toHaveLength(3);
    expect(new Set(keys).size).toBe(1);
    expect((await stage.rain.operator().get('/v1/wallets/keeper')).body.balance).toBe('3.00');
  });

  it('a dialog that is open when the sign-in ends is back after the next sign-in, with everything that was typed', async () => {
    await stage.deadLetterOf('dozer', { totalAmount: '2.00' });
    const { page } = await stage.staff('/dead-letters?user=dozer', 'finance');
    await press(page, 'Resolve');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Reason').fill('Paid by hand');
    await expireAt(page, '**/resolve');
    await dialog.getByRole('button', { name: 'Resolve', exact: true }).click();
    await signIn(page, tokenOf());
    await dialog.getByText('Your sign-in had ended. Send it again; nothing is done twice.').waitFor();
    expect(await dialog.getByLabel('Reason').inputValue()).toBe('Paid by hand');
    await dialog.getByRole('button', { name: 'Resolve', exact: true }).click();
    await says(page, 'Resolved without a payment: 2.00 CNY of dozer.');
  });

  it('someone else who signs in after the end of a sign-in finds nothing that was typed', async () => {
    const { page } = await stage.staff('/wallets/private', 'finance');
    await press(page, 'New deposit');
    await fill(page, 'Amount', '4.00');
    await expireAt(page, '**/deposits');
    await confirm(page, 'Deposit');
    await signIn(page, tokenOf('fin-other'));
    await page.getByRole('heading', { name: 'Wallet of private' }).waitFor();
    await press(page, 'New deposit');
    expect(await value(page, 'Amount')).toBe('');
  });

  /** Opens a page in another tab of the same browser. */
  async function anotherTab(context: BrowserContext, path: string): Promise<Page> {
    const page = await context.newPage();
    await page.goto(`${stage.rain.url}/console${path}`);
    return page;
  }

  it('a new tab takes over the sign-in of another tab, and the browser keeps it no longer than its tabs', async () => {
    const { page, context } = await stage.staff('/audit', 'finance');
    await page.getByRole('heading', { name: 'Audit' }).waitFor();
    const other = await anotherTab(context, '/wallets/shared');
    await other.getByRole('heading', { name: 'Wallet of shared' }).waitFor();
    const stored = await other.evaluate<string>('JSON.stringify(localStorage)');
    expect(stored).not.toContain(tokenOf().split('.')[0]);
    await Promise.all([page.close(), other.close()]);
    const last = await anotherTab(context, '/audit');
    await last.getByLabel('Token').waitFor();
  });

  it('signing out in one tab signs out all tabs of the browser, and discards what was typed in them', async () => {
    const { page, context } = await stage.staff('/wallets/parting', 'finance');
    await press(page, 'New deposit');
    await fill(page, 'Amount', '5.00');
    const other = await anotherTab(context, '/audit');
    await other.getByRole('heading', { name: 'Audit' }).waitFor();
    await press(other, 'Sign out');
    await page.getByLabel('Token').waitFor();
    await page.reload();
    await page.getByLabel('Token').waitFor();
    await signIn(page, tokenOf());
    await page.getByRole('heading', { name: 'Wallet of parting' }).waitFor();
    await press(page, 'New deposit');
    expect(await value(page, 'Amount')).toBe('');
    await other.getByRole('heading', { name: 'Audit' }).waitFor();
  });

  it('a tab keeps its person while another tab of the browser signs someone else in', async () => {
    const { page, context } = await stage.staff('/wallets/tabbed', 'finance');
    const other = await anotherTab(context, '/audit');
    await says(other, /^As of/);
    await expireAt(other, '**/v1/audit-log?*');
    await other.getByRole('button', { name: 'Refresh' }).click();
    await signIn(other, stage.rain.tokenOf('op', 'operator'));
    await says(other, 'op · operator');
    await press(page, 'New deposit');
    await fill(page, 'Amount', '6.00');
    await expireAt(page, '**/deposits');
    await confirm(page, 'Deposit');
    await page.getByLabel('Token').waitFor();
    await anotherTab(context, '/audit').then((third) => says(third, 'op · operator'));
    expect(await page.getByLabel('Token').isVisible()).toBe(true);
    await signIn(page, tokenOf());
    expect(await value(page, 'Amount')).toBe('6.00');
  });

  it('the person who asked sees the outcome of their request, and the reason, whatever their role', async () => {
    const { rain } = stage;
    const { body: asked } = await rain
      .as('campaign', 'cam-1')
      .post('/v1/activities', planOf({ sponsorId: 'rich', totalAmount: '3000.00' }));
    const { page } = await stage.staff('/approvals', 'campaign', { sub: 'cam-1' });
    await page.getByRole('row', { name: /Create activity.*3,000\.00 CNY.*Pending/ }).waitFor();
    await page.getByRole('link', { name: 'Activities', exact: true }).click();
    const { page: second } = await stage.staff('/approvals', 'finance', { sub: 'fin-8' });
    const row = second.getByRole('row', { name: /cam-1/ });
    expect(await confirm(row, 'Reject', 'The budget is spent.')).toContain('wallet:rich');
    await row.waitFor({ state: 'detached' });
    const sign = page.getByTitle('1 of your requests was decided or has expired');
    await sign.waitFor();
    await page.getByRole('link', { name: 'Approvals' }).click();
    await page.getByRole('row', { name: /rejected by fin-8: The budget is spent\./ }).waitFor();
    await waitFor(async () => (await sign.count()) === 0, { what: 'the sign to go out' });
    expect(asked.status).toBe('pending');
  });
}
