import type { Page } from 'playwright-core';
import { seriousFaults } from './accessibility';
import { fill, press, says, type Stage, tells } from './stage';

export function searchCases(stage: Stage): void {
  /** Searches with the keyboard alone: types a text, and opens the first result that matches this line. */
  async function find(page: Page, text: string, line: RegExp): Promise<void> {
    await page.keyboard.press('Control+k');
    await page.keyboard.type(text);
    // The lists of filters have options as well.
    const options = page.getByRole('dialog').getByRole('option');
    await options.filter({ hasText: line }).waitFor();
    const lines = await options.allInnerTexts();
    const place = lines.findIndex((one) => line.test(one));
    for (let i = 0; i < place; i++) await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  }

  it('an activity, a packet, a claim, a payout, a transfer, a deposit, a user or a page by its name, id or reference opens it with the keyboard alone, with at most five requests', async () => {
    const { rain } = stage;
    const id = await rain.createActivity({ name: 'Needle in hay', packetCount: 1, totalAmount: '2.00' });
    const won = await rain.user('seeker').post(`/v1/activities/${id}/grabs`);
    const channelId = await stage.createChannel('Found');
    const { body: deposit } = await rain
      .operator()
      .post('/v1/wallets/seeker/deposits', { amount: '9.00', reference: 'Invoice 7/2 of Acme' });
    const ask = { amount: '4.00', channelId };
    const { body: payout } = await rain.user('seeker').post('/v1/me/payouts', ask);
    await rain.settled(id);
    const { items } = (await rain.operator().get(`/v1/activities/${id}/grabs`)).body;
    const { page, complaints, traffic } = await stage.staff('/audit', 'finance');
    await page.getByRole('heading', { name: 'Audit' }).waitFor();

    await find(page, 'needle', /Activity\s*Needle in hay/);
    await page.getByRole('heading', { name: 'Needle in hay' }).waitFor();
    await find(page, 'dead', /Page\s*Dead letters/);
    await page.getByRole('heading', { name: 'Dead letters' }).waitFor();
    await find(page, won.body.redPacketId as string, /Packet/);
    await page.getByRole('heading', { name: 'Win of seeker' }).waitFor();
    await find(page, 'seeker', /Wallet\s*seeker/);
    await page.getByRole('heading', { name: 'Wallet of seeker' }).waitFor();
    await find(page, payout.id as string, /Payout/);
    await page.getByRole('heading', { name: `Payout ${payout.id}` }).waitFor();
    await find(page, deposit.transferId as string, /Transfer/);
    await page.getByRole('heading', { name: 'Wallet of seeker' }).waitFor();
    await find(page, 'dead', /Page\s*Dead letters/);
    await find(page, 'Invoice 7/2 of Acme', /Deposit\s*Invoice 7\/2 of Acme\s*\d+ · seeker · 9.00 CNY/);
    await page.getByRole('heading', { name: 'Wallet of seeker' }).waitFor();
    await page.goto(`${rain.url}/console/audit`);
    await page.getByRole('heading', { name: 'Audit' }).waitFor();
    traffic.length = 0;
    await find(page, items[0].claimId as string, /Claim/);
    // The page of the win asks for its activity, which has another id.
    const claimId = items[0].claimId as string;
    const asked = traffic.filter((one) => one.endsWith(`/${claimId}`) || one.includes('/v1/deposits?'));
    expect(new Set(asked).size).toBeLessThanOrEqual(5);
    await page.getByRole('heading', { name: 'Win of seeker' }).waitFor();
    // The browser's own lines about kinds of things that have no such id.
    expect(complaints.filter((line) => !line.includes('404'))).toEqual([]);
  });

  it('something that does not exist finds nothing, and Escape closes the search', async () => {
    const { page } = await stage.staff('/activities', 'campaign');
    await page.getByRole('heading', { name: 'Activities' }).waitFor();
    await press(page, 'Search');
    await page.keyboard.type('no such thing at all');
    await says(page, 'Nothing has this name, id or reference.');
    expect(await seriousFaults(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  it('things that a role may not read neither requests nor finds them', async () => {
    const { page, traffic } = await stage.staff('/activities', 'campaign');
    await page.getByRole('heading', { name: 'Activities' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('1');
    await page.getByRole('option').first().waitFor();
    expect((await page.getByRole('option').allInnerTexts()).join()).not.toMatch(
      /Wallet|Payout|Claim|Transfer|Deposit/,
    );
    expect(traffic.filter((one) => /claims|payouts|wallets|transfers|deposits/.test(one))).toEqual([]);
  });

  it('a win leads to a page that shows its history from the tap to the credit, with the commitment to its packet, and everything as JSON', async () => {
    const id = await stage.deadLetterOf('teller', { name: 'Told', totalAmount: '2.00' });
    const { page } = await stage.staff(`/activities/${id}`, 'operator');
    const row = page.getByRole('row', { name: /teller/ });
    await row.getByRole('link').first().click();
    await page.getByRole('heading', { name: 'Win of teller' }).waitFor();
    await tells(page, /Tapped and won.*2\.00 CNY/s);
    await tells(page, /Could not be paid.*The wallet is frozen/s);
    await stage.rain.operator().post('/v1/wallets/teller/unfreeze');
    const { items } = (await stage.rain.operator().get('/v1/dead-letters?userId=teller')).body;
    await stage.rain.operator().post(`/v1/dead-letters/${items[0].id}/replay`);
    await stage.rain.settled(id);
    await press(page, 'Refresh');
    await tells(page, /Credited.*2\.00 CNY, transfer \d+/s);
    await page.getByText('Proof of the packet', { exact: true }).click();
    await page.locator('.facts', { hasText: 'Commitment' }).waitFor();
    await page.getByText('Raw JSON').click();
    await says(page, /"settlement": "credited"/);
    expect(await seriousFaults(page)).toEqual([]);
    for (const [path, link] of [
      ['/dead-letters?user=teller&status=replayed', items[0].id as string],
      ['/wallets/teller', 'Won'],
    ]) {
      await page.goto(`${stage.rain.url}/console${path}`);
      await page.getByRole('link', { name: link, exact: true }).first().click();
      await page.getByRole('heading', { name: 'Win of teller' }).waitFor();
    }
  });

  it('the actions of a day finds them in the audit log, described in words', async () => {
    await stage.rain
      .operator('auditor')
      .post('/v1/wallets/worded/deposits', { amount: '3.00', reference: 'b-3' });
    await stage.rain.operator('auditor').post('/v1/wallets/worded/freeze');
    const { page } = await stage.staff('/audit?actor=auditor', 'support');
    await page
      .getByRole('row', { name: /Deposit.*wallet:worded.*Balance (0\.00 CNY )?3\.00 CNY.*Reference b-3/ })
      .waitFor();
    await page.getByLabel('Action').selectOption('wallet.freeze');
    await page.getByRole('row', { name: /Freeze wallet/ }).waitFor();
    await page.getByRole('row', { name: /Deposit/ }).waitFor({ state: 'detached' });
    await fill(page, 'Day (UTC)', '2031-02-03');
    await says(page, 'Nothing matches these filters.');
    await fill(page, 'Day (UTC)', new Date().toISOString().slice(0, 10));
    await page.getByRole('row', { name: /Freeze wallet/ }).waitFor();
    expect(page.url()).toMatch(/action=wallet\.freeze.*day=/);
    await page.getByRole('button', { name: '中文' }).click();
    await page.getByRole('cell', { name: '冻结钱包' }).waitFor();
  });
}
