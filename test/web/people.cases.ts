import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { seriousFaults } from './accessibility';
import { PICTURES, type Visitor, type VisitorOptions } from './chromium';
import { fill, grab, press, says, type Stage } from './stage';

const PHONE = { width: 390, height: 844 };

export function peopleCases(stage: Stage): void {
  const come = async (path: string, user: string, options: VisitorOptions = {}): Promise<Visitor> => {
    const visitor = await stage.visitor({ viewport: PHONE, reducedMotion: 'reduce', ...options });
    await visitor.page.goto(`${stage.rain.url}${path}#token=${stage.rain.tokenOf(user)}`);
    return visitor;
  };

  const give = (user: string, amount: string) =>
    stage.rain.operator().post(`/v1/wallets/${user}/deposits`, { amount });

  const isTooWide = (page: Page) =>
    page.evaluate<boolean>('document.documentElement.scrollWidth > document.documentElement.clientWidth');

  it('sends packets by link to a friend, who opens one in two taps and thanks, which the sender sees', async () => {
    await give('sam', '60.00');
    const { page: sender, complaints } = await come('/send', 'sam');
    await says(sender, 'Your wallet holds ¥60.00.');
    expect(sender.url()).toBe(`${stage.rain.url}/send`);
    await fill(sender, 'How many packets', '2');
    await fill(sender, 'Total amount', '50.00');
    await fill(sender, 'Greeting', 'Happy New Year!');
    await fill(sender, 'Your name on the packet', 'Sam');
    await press(sender, 'Fill the red packets');
    await says(sender, 'Your red packets are ready');
    expect(await seriousFaults(sender)).toEqual([]);
    await sender.evaluate('navigator.share = async (what) => { globalThis.shared = what; }');
    await press(sender, 'Send it on');
    const { url, text } = await sender.evaluate<{ url: string; text: string }>('shared');
    expect(text).toBe('Happy New Year!');
    expect(await sender.getByLabel('Link', { exact: true }).inputValue()).toBe(url);

    const friend = await stage.visitor({ viewport: PHONE });
    await friend.page.goto(`${url}&token=${stage.rain.tokenOf('fran')}`);
    await says(friend.page, 'Sam');
    await grab(friend.page);
    await says(friend.page, 'In your wallet');
    await friend.page.getByRole('link', { name: 'Send red packets too' }).click();
    await friend.page.getByRole('heading', { name: 'Send red packets' }).waitFor();
    await friend.page.goBack();
    await friend.page.getByRole('link', { name: 'Who got what' }).click();
    await friend.page.getByRole('button', { name: /Happy New Year!/ }).click();
    await says(friend.page, 'Who got what');
    await press(friend.page, 'Thank you!');
    await says(friend.page, 'You said: Thank you!');
    expect(await seriousFaults(friend.page)).toEqual([]);

    await sender.getByRole('link', { name: 'Who got what' }).click();
    await says(sender, 'One of them said thanks.');
    await says(sender, '1 of 2 taken');
    await sender.getByRole('button', { name: /Happy New Year!/ }).click();
    await sender.getByRole('listitem').filter({ hasText: 'fran' }).getByText('“Thank you!”').waitFor();
    expect([...(await seriousFaults(sender)), ...complaints, ...friend.complaints]).toEqual([]);
  });

  it('says what is wrong beside its field, in the language of its reader, and sends once if the answer was lost', async () => {
    await give('lin', '8.00');
    const { page } = await come('/send', 'lin', { locale: 'zh-CN' });
    await says(page, '钱包余额');
    await fill(page, '红包个数', '2');
    await fill(page, '总金额', 'abc');
    await press(page, '塞钱进红包');
    const about = page.locator('#amount-about');
    await about.filter({ hasText: '请填写金额' }).waitFor();
    expect(await page.evaluate('document.activeElement.id')).toBe('amount');
    await fill(page, '总金额', '9.00');
    await press(page, '塞钱进红包');
    await about.filter({ hasText: '钱包余额不足' }).waitFor();
    expect(await seriousFaults(page)).toEqual([]);

    await page.getByLabel('普通红包').check();
    await fill(page, '单个金额', '1.50');
    await page.getByLabel('知道口令的人').check();
    await fill(page, '口令', '新年好');
    const problem = { type: '/docs/errors', title: 'x', status: 429, code: 'sender.day_full', detail: 'x' };
    const headers = { 'content-type': 'application/problem+json', 'retry-after': '3600' };
    await page.route('**/v1/activities', (route) =>
      route.fulfill({ status: 429, headers, body: JSON.stringify(problem) }),
    );
    await press(page, '塞钱进红包');
    await says(page, '已超出您今天可发的限额，请明天再发。');
    await page.unroute('**/v1/activities');
    const keys: (string | undefined)[] = [];
    await page.route('**/v1/activities', async (route) => {
      keys.push(route.request().headers()['idempotency-key']);
      if (keys.length > 1) return route.continue();
      await route.fetch();
      return route.abort();
    });
    await press(page, '塞钱进红包');
    await says(page, '红包已备好');
    await says(page, '¥3.00');
    await says(page, '口令：新年好');
    expect(new Set(keys).size).toBe(1);
    const { items } = (await stage.rain.user('lin').get('/v1/me/sent')).body as { items: object[] };
    expect(items).toMatchObject([{ amount: '3.00', packetCount: 2, audience: { kind: 'password' } }]);
  });

  it.each(['/send', '/me'])(
    '%s is whole on a phone and at 200 %%, and asks for its app without a token',
    async (path) => {
      const { page } = await come(path, 'nia');
      await page.getByText(/Your wallet holds|You have not received any yet/).waitFor();
      for (const width of [390, 320, 195]) {
        await page.setViewportSize({ width, height: 600 });
        expect([width, await isTooWide(page)]).toEqual([width, false]);
      }
      const { page: stranger } = await stage.visitor();
      await stranger.goto(stage.rain.url + path);
      await says(stranger, 'Please open this page from your app');
    },
  );

  if (PICTURES)
    it('look well', async () => {
      await give('pia', '500.00');
      const user = stage.rain.user('pia');
      for (const [locale, greeting, directory] of [
        ['en', 'Happy New Year!', PICTURES!],
        ['zh-CN', '恭喜发财，大吉大利', join(PICTURES!, '..', 'zh', 'pictures')],
      ] as const) {
        mkdirSync(directory, { recursive: true });
        const { page } = await come('/send', 'pia', { locale });
        const shot = (name: string) =>
          page.screenshot({ path: join(directory, `${name}.png`), fullPage: true });
        await page.getByText(/¥/).first().waitFor();
        await page.locator('#count').fill('3');
        await page.locator('#amount').fill('50.00');
        await page.locator('#greeting').fill(greeting);
        await shot('send');
        await page.locator('.deed').click();
        await page.locator('.qr').waitFor();
        const { items } = (await user.get('/v1/me/sent')).body as { items: { activityId: string }[] };
        const id = items[0]!.activityId;
        const { shareCode } = (await user.get(`/v1/activities/${id}/audience`)).body;
        for (const friend of ['amy', 'ben', 'cai'])
          await stage.rain
            .user(friend)
            .post(`/v1/activities/${id}/grabs`, undefined, { headers: { 'share-code': shareCode } });
        await page.goto(`${stage.rain.url}/me#sent`);
        await page.locator('.row').first().click();
        await page.locator('ul li').nth(2).waitFor();
        await shot('me');
      }
    });
}
