import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { readCsv } from '../harness/csv';
import { waitFor } from '../harness/engines';
import { answer, WebhookReceiver } from '../harness/webhook-receiver';
import { seriousFaults } from './accessibility';
import { confirm, fill, press, says, type Stage } from './stage';

export function recordsCases(stage: Stage): void {
  /** Two win and one comes too late; returns the activity once all of it is in Postgres. */
  async function played(sponsorId: string): Promise<string> {
    const { rain } = stage;
    const id = await rain.createActivity({ packetCount: 2, totalAmount: '4.00', sponsorId });
    for (const user of ['one', 'two', 'three']) await rain.user(user).post(`/v1/activities/${id}/grabs`);
    await rain.settled(id);
    const written = async () =>
      (await rain.sql(`select from tap_minute where activity_id = ${id} and won = 2 and sold_out = 1`))
        .length === 1;
    await waitFor(written, { what: 'the taps in Postgres' });
    return id;
  }

  it('the page of an activity draws its history, and compares it with that of the previous activity', async () => {
    const [former, id] = [await played('chronicle'), await played('chronicle')];
    const { page, complaints } = await stage.staff(`/activities/${id}/history`, 'campaign');
    const history = page.getByRole('region', { name: 'History', exact: true });
    await history
      .getByRole('img', { name: /Taps, wins and credits per minute, at most [1-3] taps/ })
      .waitFor();
    const compared = history.getByRole('region', { name: /^Compared with/ });
    const lineOf = (name: string) =>
      compared.getByRole('row').filter({ hasText: name }).getByRole('cell').allInnerTexts();
    await history.getByRole('link', { name: `Previous activity, ${former}` }).waitFor();
    expect(await lineOf('Wins')).toEqual(['2', '2']);
    expect(await lineOf('Sold out')).toEqual(['1', '1']);
    expect(await lineOf('Amount credited')).toEqual(['4.00 CNY', '4.00 CNY']);
    expect(await compared.getByRole('row').filter({ hasText: 'Reserved' }).count()).toBe(0);
    expect(await seriousFaults(page)).toEqual([]);
    await history.getByRole('link', { name: `Previous activity, ${former}` }).click();
    await page.waitForURL(`**/activities/${former}/history`);
    // It has no previous one: its figures need no heading.
    await history.getByRole('region', { name: 'Totals', exact: true }).waitFor();
    expect(await history.getByRole('columnheader').count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  /** Presses a button, and returns the file that the browser saves. */
  async function saved(page: Page, button: string): Promise<string> {
    const [download] = await Promise.all([page.waitForEvent('download'), press(page, button)]);
    return readFileSync(await download.path(), 'utf8');
  }

  it('wallets are listed by the beginning of the ids of their owners, and sponsors with the money in their activities', async () => {
    const { rain } = stage;
    for (const owner of ['folio-1', 'folio-2'])
      await rain.operator().post(`/v1/wallets/${owner}/deposits`, { amount: '3.00' });
    await rain.operator().post('/v1/wallets/folio-2/freeze');
    await rain.createActivity({ sponsorId: 'folio-9', totalAmount: '5.00', packetCount: 2 });
    const { page, complaints } = await stage.staff('/wallets?owner=folio', 'finance');
    const sponsors = page.getByRole('region', { name: 'Sponsors', exact: true });
    await sponsors.getByRole('link', { name: 'folio-9' }).waitFor();
    expect(await sponsors.getByRole('row').count()).toBe(2);
    expect(await sponsors.getByRole('row').last().getByRole('cell').allInnerTexts()).toEqual(
      expect.arrayContaining(['folio-9', '5.00 CNY', '1', 'Active']),
    );
    await page.getByRole('navigation', { name: 'List' }).getByRole('link', { name: 'Wallets' }).click();
    await page.getByLabel('Status').selectOption('frozen');
    const wallets = page.getByRole('region', { name: 'Wallets', exact: true });
    await wallets.getByRole('link', { name: 'folio-2' }).waitFor();
    expect(await wallets.getByRole('row').count()).toBe(2);
    expect(await seriousFaults(page)).toEqual([]);
    await wallets.getByRole('link', { name: 'folio-2' }).click();
    await page.getByRole('heading', { name: 'Wallet of folio-2' }).waitFor();
    expect(complaints).toEqual([]);
  });

  it('a list is downloaded completely and with its filters, and no cell of the file is a formula or a grouped number', async () => {
    const { rain } = stage;
    for (let i = 0; i < 55; i++)
      await rain.operator().post(`/v1/wallets/ledger-${i}/deposits`, { amount: '1.00' });
    for (const amount of ['700.00', '533.50'])
      await rain.operator().post('/v1/wallets/ledger-0/deposits', { amount });
    const formula = { amount: '2.00', reference: '=HYPERLINK("http://evil.example")' };
    await rain.operator().post('/v1/wallets/ledger-0/deposits', formula);
    await rain.operator().post('/v1/wallets/other/deposits', { amount: '1.00' });
    const { page } = await stage.staff('/wallets?list=wallets&owner=ledger-', 'finance');
    await page.getByRole('link', { name: 'ledger-0', exact: true }).waitFor();
    await says(page, '1,236.50 CNY');
    const [head, ...rows] = readCsv(await saved(page, 'CSV: Wallets'));
    expect(head).toEqual(['Owner', 'Balance', 'Balance, currency', 'Status', 'Since']);
    expect(rows).toHaveLength(55);
    expect(rows[0]).toEqual(['ledger-0', '1236.50', 'CNY', 'Active', expect.stringMatching(/^20.*Z$/)]);
    await says(page, 'Wallets: the file has all 55 rows.');
    await page.goto(`${rain.url}/console/wallets/ledger-0`);
    const text = await saved(page, 'CSV: Entries');
    expect(text).not.toContain(',=');
    expect(readCsv(text).flat()).toContain(`'${formula.reference}`);
  });

  it('times are shown in the selected zone, with its name and on the next visit too, and a field names the zone of its times', async () => {
    const { page } = await stage.staff('/activities', 'campaign', { timezoneId: 'America/New_York' });
    const id = await stage.rain.createActivity({ name: 'Midnight', packetCount: 1 });
    const { body } = await stage.rain.operator().get(`/v1/activities/${id}`);
    const time = page
      .getByRole('row', { name: /Midnight/ })
      .locator('time')
      .first();
    await time.waitFor();
    // Engines separate the time of day in different ways.
    const spaced = (text: string) => text.replaceAll(/\s/g, ' ');
    const timeText = async () => spaced(await time.innerText());
    const shownIn = (timeZone: string) =>
      spaced(
        new Date(body.opensAt as string).toLocaleTimeString('en-US', {
          ...{ timeZone, hour: 'numeric', minute: '2-digit' },
        }),
      );
    expect(await timeText()).toContain(shownIn('America/New_York'));
    await page.getByLabel('Times are shown in').selectOption('UTC');
    expect(await timeText()).toContain(`${shownIn('UTC')} UTC`);
    await page.reload();
    await time.waitFor();
    expect(await timeText()).toContain(`${shownIn('UTC')} UTC`);
    await page.goto(`${stage.rain.url}/console/activities/new`);
    await says(page, /America\/New_York \(GMT-[45]\)/);
    await fill(page, 'Name', 'x');
  });

  it('a webhook is registered for selected events, and one message shows its body and attempts and can be sent again', async () => {
    const receiver = await WebhookReceiver.start();
    const { page, complaints } = await stage.staff('/webhooks', 'operator');
    await press(page, 'New webhook');
    await fill(page, 'URL', `${receiver.url}/chosen`);
    const all = await page.getByRole('dialog').getByRole('checkbox').count();
    for (const event of ['payout.paid', 'wallet.credited'])
      await page.getByRole('dialog').getByLabel(event).uncheck();
    await press(page, 'Register');
    await says(page, /^whsec_/);
    await page.getByRole('link', { name: `${receiver.url}/chosen` }).click();
    const { items } = (await stage.rain.operator().get('/v1/webhooks')).body;
    const id = items[0].id as string;
    expect(items[0].events).toHaveLength(all - 2);
    await press(page, 'Change');
    await page.getByRole('dialog').getByLabel('wallet.credited').check();
    await press(page, 'Save');
    await says(page, 'Changed. It takes effect within two seconds.');
    expect((await stage.rain.operator().get('/v1/webhooks')).body.items[0].events).toHaveLength(all - 1);

    receiver.let('/chosen', answer(410));
    await confirm(page, 'Send a test');
    const dead = async () =>
      (await stage.rain.operator().get(`/v1/webhooks/${id}/dead-letters`)).body.items.length === 1;
    await waitFor(dead, { what: 'the message to be given up' });
    await page.reload();
    await page
      .getByRole('link', { name: /^test_/ })
      .first()
      .click();
    const message = page.getByRole('region', { name: /^Message test_/ });
    await message.getByRole('row', { name: /answered 410/ }).waitFor();
    await message.getByText('"type": "webhook.test"').waitFor();
    expect(await seriousFaults(page)).toEqual([]);
    receiver.let('/chosen', answer(200));
    await message.getByRole('button', { name: 'Send again' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Send again' }).click();
    await message.getByRole('row', { name: /answered 200/ }).waitFor();
    await message.getByText('Delivered', { exact: true }).waitFor();
    await stage.rain.operator().delete(`/v1/webhooks/${id}`);
    await receiver.stop();
    expect(complaints.filter((line) => !line.includes('404'))).toEqual([]);
  });
}
