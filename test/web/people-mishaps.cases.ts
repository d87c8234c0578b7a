import type { Page } from 'playwright-core';
import { answerProblem, postFromApp } from './requests';
import { press, says, type Stage } from './stage';

const DAY_MS = 86_400_000;

/** Mishaps that people report about red packets in messengers. */
export function peopleMishapsCases(stage: Stage): void {
  const fillIn = async (page: Page, count: string, amount: string): Promise<void> => {
    await page.locator('#count').fill(count);
    await page.locator('#amount').fill(amount);
  };

  const sentBy = async (user: string): Promise<object[]> =>
    (await stage.rain.user(user).get('/v1/me/sent')).body.items as object[];

  const linkOf = (page: Page): Promise<string> => page.getByRole('textbox', { name: 'Link' }).inputValue();

  it('a double tap sends once, and neither the back button nor a reload sends again', async () => {
    await stage.give('dot', '50.00');
    const { page } = await stage.visit('/send', 'dot');
    await fillIn(page, '2', '5');
    await page.evaluate(`for (let tap = 0; tap < 2; tap++) document.querySelector('.deed').click()`);
    await says(page, 'Your red packets are ready');
    await page.getByRole('link', { name: 'Who got what' }).click();
    await says(page, '0 of 2 opened');
    await page.goBack();
    await page.getByRole('heading', { name: 'Send red packets' }).waitFor();
    await page.reload();
    await says(page, 'Balance: ¥45.00');
    expect(await page.locator('#amount').inputValue()).toBe('');
    expect(await sentBy('dot')).toHaveLength(1);
  });

  it('if a token expires on the way, nothing that was typed is lost, and the packets are sent once', async () => {
    await stage.give('eve', '50.00');
    const { page } = await stage.visit('/send', 'eve');
    await fillIn(page, '3', '9');
    await page.locator('#greeting').fill('Long and well thought of');
    await page.getByLabel('Anyone with a password').check();
    await page.locator('#password').fill('sesame');
    await page.route('**/v1/activities', async (route) => {
      await route.fetch();
      await answerProblem(route, 401, 'auth.unauthenticated');
    });
    await press(page, 'Pay and send');
    await says(page, 'Open this page in your app');
    await page.unroute('**/v1/activities');
    const token = stage.rain.tokenOf('eve');
    await postFromApp(page, { type: 'hongbao.token', token });
    await page.locator('#greeting').waitFor();
    expect(await page.locator('#greeting').inputValue()).toBe('Long and well thought of');
    await press(page, 'Pay and send');
    await says(page, 'Password: sesame');
    expect(await sentBy('eve')).toHaveLength(1);
  });

  it('a new token of the same user changes nothing while they type', async () => {
    await stage.give('fay', '50.00');
    const { page } = await stage.visit('/send', 'fay');
    await fillIn(page, '3', '9');
    await page.locator('#greeting').focus();
    const token = stage.rain.tokenOf('fay');
    await postFromApp(page, { type: 'hongbao.token', token });
    await page.keyboard.type('Still here');
    await press(page, 'Pay and send');
    await says(page, '3 packets: Still here');
  });

  it('without a network the packets wait, and are sent when it is back', async () => {
    await stage.give('gil', '50.00');
    const { page, context } = await stage.visit('/send', 'gil');
    await says(page, 'Balance: ¥50.00');
    await fillIn(page, '1', '5');
    await context.setOffline(true);
    await press(page, 'Pay and send');
    await says(page, "No connection. We'll carry on when it's back.");
    await context.setOffline(false);
    await says(page, 'Your red packets are ready');
    expect(await sentBy('gil')).toHaveLength(1);
  });

  it.each([
    ['behind', -DAY_MS],
    ['ahead', DAY_MS],
  ])('a phone whose clock is a day %s changes nothing', async (where, aside) => {
    await stage.give(`hal-${where}`, '50.00');
    const sender = await stage.visitor();
    await sender.page.clock.setSystemTime(Date.now() + aside);
    await sender.page.goto(`${stage.rain.url}/send#token=${stage.rain.tokenOf(`hal-${where}`)}`);
    await fillIn(sender.page, '1', '5');
    await press(sender.page, 'Pay and send');
    const link = await linkOf(sender.page);
    const friend = await stage.visitor();
    await friend.page.clock.setSystemTime(Date.now() - aside);
    await friend.page.goto(`${link}&token=${stage.rain.tokenOf(`ida-${where}`)}`);
    await press(friend.page, 'Grab a red packet');
    await says(friend.page, 'In your wallet');
  });

  it.each(['.', ')', '。', '，快来抢红包', '&', '">'])(
    'a link still opens if the characters after it in the message are copied as well: %s',
    async (after) => {
      const sponsor = 'jan';
      await stage.give(sponsor, '2.00');
      const body = { name: 'Copied', totalAmount: '2.00', packetCount: 1 };
      const { id } = (await stage.rain.user(sponsor).post('/v1/activities', body)).body as { id: string };
      const { shareCode } = (await stage.rain.user(sponsor).get(`/v1/activities/${id}/audience`)).body;
      const { page } = await stage.visitor();
      await page.goto(`${stage.rain.url}/send#token=${stage.rain.tokenOf('jon')}`);
      await says(page, 'Balance: ');
      await page.goto(`${stage.rain.url}/rain/${id}#c=${shareCode as string}${after}`);
      await says(page, 'A red packet is waiting.');
      expect(page.url()).toBe(`${stage.rain.url}/rain/${id}`);
      const open = await stage.rain.createActivity({ packetCount: 1 });
      await page.goto(`${stage.rain.url}/rain/${open}${encodeURIComponent(after)}`);
      await says(page, "It's raining red packets.");
    },
  );

  it('the sender opens their own link and takes one of the packets', async () => {
    await stage.give('ken', '4.00');
    const { page } = await stage.visit('/send', 'ken');
    await fillIn(page, '2', '4');
    await press(page, 'Pay and send');
    await page.getByRole('link', { name: 'Grab one yourself' }).click();
    await press(page, 'Grab a red packet');
    await says(page, 'In your wallet');
  });

  it('a crawler that fetches the link for a preview learns nothing about the packets', async () => {
    await stage.give('leo', '4.00');
    const theme = { sender: 'Leo', greeting: 'Only for us' };
    const body = { name: 'Only for us', totalAmount: '4.00', packetCount: 2, theme };
    const { id } = (await stage.rain.user('leo').post('/v1/activities', body)).body as { id: string };
    const fetchAsCrawler = async (path: string) =>
      (
        await fetch(stage.rain.url + path, { headers: { 'user-agent': 'TelegramBot (like TwitterBot)' } })
      ).text();
    const html = await fetchAsCrawler(`/rain/${id}`);
    expect(html).toBe((await fetchAsCrawler('/rain/999999')).replaceAll('999999', id));
    expect(html).not.toMatch(/Leo|Only for us/);
  });

  it('staff, and users who need a second person, read what to do', async () => {
    const visitor = await stage.visitor();
    const { page } = visitor;
    await stage.give('camp', '9.00');
    await page.goto(`${stage.rain.url}/send#token=${stage.rain.tokenOf('camp', 'campaign')}`);
    await fillIn(page, '1', '5');
    await press(page, 'Pay and send');
    await says(page, 'This page is for users. Staff create red packets in the console.');
    await page.route('**/v1/activities', (route) => route.fulfill({ status: 202, json: { id: '1' } }));
    await press(page, 'Pay and send');
    await says(page, /^Waiting for approval\./);
  });
}
