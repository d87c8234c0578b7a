import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { seriousFaults } from './accessibility';
import { PICTURES } from './chromium';
import { answerProblem, keyOf, loseFirstAnswer } from './requests';
import { fill, grab, HAND, press, says, type Stage } from './stage';

export function peopleCases(stage: Stage): void {
  const isTooWide = (page: Page) =>
    page.evaluate<boolean>('document.documentElement.scrollWidth > document.documentElement.clientWidth');

  it('sends packets by link to a friend, who opens one in two taps and says thanks, which the sender sees', async () => {
    await stage.give('sam', '60.00');
    const { page: sender, complaints } = await stage.visit('/send', 'sam');
    await says(sender, 'Balance: ¥60.00');
    expect(sender.url()).toBe(`${stage.rain.url}/send`);
    await fill(sender, 'Packets', '2');
    await fill(sender, 'Total amount', '50.00');
    await fill(sender, 'Greeting', 'Happy New Year!');
    await fill(sender, 'Your name on the packet', 'Sam');
    await press(sender, 'Pay and send');
    await says(sender, 'Your red packets are ready');
    expect(await seriousFaults(sender)).toEqual([]);
    await sender.evaluate('navigator.share = async (what) => { globalThis.shared = what; }');
    await press(sender, 'Share');
    const { url, text } = await sender.evaluate<{ url: string; text: string }>('shared');
    expect(text).toBe('Happy New Year!');
    expect(await sender.getByLabel('Link', { exact: true }).inputValue()).toBe(url);

    const friend = await stage.visitor({ viewport: HAND });
    await friend.page.goto(`${url}&token=${stage.rain.tokenOf('fran')}`);
    await says(friend.page, 'Sam');
    await grab(friend.page);
    await says(friend.page, 'In your wallet');
    await friend.page.getByRole('link', { name: 'Send one too' }).click();
    await friend.page.getByRole('heading', { name: 'Send red packets' }).waitFor();
    await friend.page.goBack();
    await friend.page.getByRole('link', { name: 'Who got what' }).click();
    await friend.page.getByRole('button', { name: /Happy New Year!/ }).click();
    await says(friend.page, 'Who got what');
    await press(friend.page, 'Thank you!');
    await says(friend.page, 'You said: Thank you!');
    expect(await seriousFaults(friend.page)).toEqual([]);

    await sender.getByRole('link', { name: 'Who got what' }).click();
    await says(sender, '1 person said thanks.');
    await says(sender, '1 of 2 opened');
    await sender.getByRole('button', { name: /Happy New Year!/ }).click();
    await sender.getByRole('listitem').filter({ hasText: 'fran' }).getByText('Thank you!').waitFor();
    expect([...(await seriousFaults(sender)), ...complaints, ...friend.complaints]).toEqual([]);
  });

  it('says what is wrong next to its field, in the language of the page, and sends only once if the answer was lost', async () => {
    await stage.give('lin', '8.00');
    const { page } = await stage.visit('/send', 'lin', { locale: 'zh-CN' });
    await says(page, '钱包余额');
    await fill(page, '红包个数', '2');
    await fill(page, '总金额', 'abc');
    await press(page, '塞钱进红包');
    const about = page.locator('#amount-about');
    await about.filter({ hasText: '请填写金额' }).waitFor();
    expect(await page.evaluate('document.activeElement.id')).toBe('amount');
    await fill(page, '总金额', '1.005');
    await press(page, '塞钱进红包');
    await about.filter({ hasText: '最多 2 位小数' }).waitFor();
    await fill(page, '总金额', '9.00');
    await press(page, '塞钱进红包');
    await about.filter({ hasText: '钱包余额不足' }).waitFor();
    expect(await seriousFaults(page)).toEqual([]);

    await page.getByLabel('普通红包').check();
    await fill(page, '单个金额', '1.50');
    await page.getByLabel('知道口令的人').check();
    await fill(page, '口令', '新年好');
    await page.route('**/v1/activities', (route) =>
      answerProblem(route, 429, 'sender.day_full', { 'retry-after': '3600' }),
    );
    await press(page, '塞钱进红包');
    await says(page, '已超出今天可发的限额，请明天再发');
    await page.unroute('**/v1/activities');
    const sent = await loseFirstAnswer<unknown>(page, '**/v1/activities', (request) => [
      keyOf(request),
      request.postDataJSON(),
    ]);
    await press(page, '塞钱进红包');
    await says(page, '红包已备好');
    await says(page, '¥3.00');
    await says(page, '口令：新年好');
    expect(sent).toEqual([sent[0], sent[0]]);
    expect(sent[0]).toMatchObject([expect.any(String), { sponsorSeed: expect.any(String) }]);
    await page.getByText('由您的设备与服务器共同抽取').click();
    await says(page, (sent[0] as [string, { sponsorSeed: string }])[1].sponsorSeed);
    const { items } = (await stage.rain.user('lin').get('/v1/me/sent')).body as { items: object[] };
    expect(items).toMatchObject([{ amount: '3.00', packetCount: 2, audience: { kind: 'password' } }]);
  });

  it('sends through a server without commitments, and says that the server drew alone', async () => {
    await stage.give('old', '8.00');
    const { page } = await stage.visit('/send', 'old');
    await page.route('**/v1/commitments', (route) => answerProblem(route, 404, 'route.not_found'));
    await fill(page, 'Packets', '2');
    await fill(page, 'Total amount', '4.00');
    await press(page, 'Pay and send');
    await says(page, 'Your red packets are ready');
    await says(page, 'Drawn by the server alone');
  });

  it.each(['/send', '/me'])(
    '%s fits a phone, even at 200 %%, and without a token asks to be opened from its app',
    async (path) => {
      const { page } = await stage.visit(path, 'nia');
      await page.getByText(/Balance: |No red packets yet/).waitFor();
      for (const width of [390, 320, 195]) {
        await page.setViewportSize({ width, height: 600 });
        expect([width, await isTooWide(page)]).toEqual([width, false]);
      }
      const { page: stranger } = await stage.visitor();
      await stranger.goto(stage.rain.url + path);
      await says(stranger, 'Open this page in your app');
    },
  );

  if (PICTURES)
    it('look well', async () => {
      const chinese = join(PICTURES!, '..', 'zh', 'pictures');
      for (const [locale, directory, { sender, friends, greeting, thanks }] of [
        [
          'en',
          PICTURES!,
          {
            sender: 'pia',
            friends: ['amelia', 'bruno', 'celia'],
            greeting: 'Happy New Year!',
            thanks: 'Thank you!',
          },
        ],
        [
          'zh-CN',
          chinese,
          {
            sender: 'lin',
            friends: ['xiaomei', 'haoran', 'yunyun'],
            greeting: '恭喜发财，大吉大利',
            thanks: '谢谢老板',
          },
        ],
      ] as const) {
        mkdirSync(directory, { recursive: true });
        await stage.give(sender, '500.00');
        const { page } = await stage.visit('/send', sender, { locale });
        const shot = (name: string) => keepWhole(page, join(directory, `${name}.png`));
        await page.getByText(/¥/).first().waitFor();
        await page.locator('#count').fill('3');
        await page.locator('#amount').fill('50.00');
        await page.locator('#greeting').fill(greeting);
        await page.locator('#sender').fill(sender);
        await page.locator('#sender').blur();
        await shot('send');
        await page.locator('.deed').click();
        const link = await page.locator('.card > .link').inputValue();
        const { id, code } = /rain\/(?<id>\d+)#c=(?<code>.+)$/.exec(link)!.groups!;
        const frames = [await page.screenshot()];
        const friend = await stage.visitor({ viewport: HAND, reducedMotion: 'reduce', locale });
        await friend.page.goto(`${link}&token=${stage.rain.tokenOf(friends[0])}`);
        await friend.page.locator('.sky').waitFor();
        frames.push(await friend.page.screenshot());
        await friend.page.locator('.deed').click();
        await friend.page.locator('[data-settlement=credited]').waitFor();
        frames.push(await friend.page.screenshot());
        for (const other of friends.slice(1))
          await stage.rain
            .user(other)
            .post(`/v1/activities/${id}/grabs`, undefined, { headers: { 'share-code': code! } });
        await friend.page.locator('a[href="../me"]').click();
        await friend.page.locator('.row').click();
        await friend.page.locator('ul li').nth(2).waitFor();
        frames.push(await friend.page.screenshot());
        await friend.page.getByRole('button', { name: thanks }).click();
        await friend.page.locator('.said').filter({ hasText: thanks }).waitFor();
        await strip(page.context(), frames, join(directory, 'opened.png'));
        await page.goto(`${stage.rain.url}/me#sent`);
        await page.locator('.row').first().click();
        await page.locator('ul li').nth(2).waitFor();
        await shot('me');
      }
    });
}

/** Takes a picture in a window as high as the page, so that the background is complete. */
async function keepWhole(page: Page, path: string): Promise<void> {
  const height = await page.evaluate<number>('document.documentElement.scrollHeight');
  await page.setViewportSize({ ...HAND, height: Math.max(height, HAND.height) });
  await page.screenshot({ path });
  await page.setViewportSize(HAND);
}

/** Puts pictures next to each other. */
async function strip(context: BrowserContext, frames: readonly Buffer[], path: string): Promise<void> {
  const page = await context.newPage();
  const images = frames.map((frame) => `<img src="data:image/png;base64,${frame.toString('base64')}">`);
  await page.setViewportSize({ width: 1040, height: 556 });
  await page.setContent(
    `<style>body{display:flex;gap:8px;margin:0}img{width:254px}</style>${images.join('')}`,
  );
  await page.screenshot({ path });
  await page.close();
}
