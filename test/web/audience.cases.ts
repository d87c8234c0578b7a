import { waitFor } from '../harness/engines';
import { seriousFaults } from './accessibility';
import type { Visitor } from './chromium';
import { fill, forbidWebSockets, grab, press, says, type Stage } from './stage';

const PASSWORD = '恭喜 发财🧧';

export function audienceCases(stage: Stage): void {
  const create = (audience: object) =>
    stage.rain.createActivity({ sponsorId: 'host', packetCount: 3, totalAmount: '6.00', audience });

  const codeOf = async (id: string): Promise<string> =>
    (await stage.rain.operator().get(`/v1/activities/${id}/audience`)).body.shareCode as string;

  /** Follows a friend's link in the web view of an app that signs its user in. */
  async function come(visitor: Visitor, id: string, user: string, fragment: string): Promise<void> {
    await visitor.page.goto(`${stage.rain.url}/rain/${id}#${fragment}token=${stage.rain.tokenOf(user)}`);
  }

  const sharedBy = async ({ page }: Visitor): Promise<string> => {
    await page.evaluate(`navigator.share = async ({ url }) => { globalThis.shared = url; }`);
    await press(page, 'Share link');
    return page.evaluate<string>('shared');
  };

  it.each(['the gateway', 'requests alone'])(
    'a link with a share code leads to an opened packet in two taps over %s, and the code disappears from the address',
    async (way) => {
      const id = await create({ kind: 'link' });
      const code = await codeOf(id);
      const visitor = await stage.visitor();
      const { page, complaints, traffic } = visitor;
      if (way === 'requests alone') await forbidWebSockets(page);
      const sent: string[] = [];
      page.on('request', (request) => sent.push(request.url(), request.headers().referer ?? ''));
      await come(visitor, id, 'amy', `c=${code}&`);
      await says(page, 'Red packets are falling.');
      expect(page.url()).toBe(`${stage.rain.url}/rain/${id}`);
      await grab(page);
      await says(page, 'In your wallet');
      expect(await sharedBy(visitor)).toBe(`${stage.rain.url}/rain/${id}#c=${code}`);
      const news = way === 'requests alone' ? 'GET /v1/me/events' : '< {"event"';
      await waitFor(() => traffic.some((line) => line.startsWith(news)), { what: 'the news' });
      await page.reload();
      await says(page, 'You already got this one.');
      expect(sent.filter((text) => text.includes(code) && !text.includes('#'))).toEqual([]);
      expect(complaints).toEqual([]);
    },
  );

  it('a page without the code says that there are no red packets, and shows them once the link is opened in the same tab', async () => {
    const id = await create({ kind: 'link' });
    const visitor = await stage.visitor();
    const { page } = visitor;
    await come(visitor, id, 'bea', '');
    await says(page, 'There are no red packets here.');
    await page.evaluate(`location.hash = 'c=${await codeOf(id)}'`);
    await says(page, 'Red packets are falling.');
    await stage.rain.operator().post(`/v1/activities/${id}/close`);
    await says(page, 'These red packets can no longer be opened.');
  });

  it('someone who is not signed in can check a rain on its page before and after its end, with the link if the rain has one', async () => {
    const [open, link] = [await create({ kind: 'public' }), await create({ kind: 'link' })];
    const { page, complaints } = await stage.visitor();
    const check = () => press(page, 'Is it fair? Check the draw');
    await page.goto(`${stage.rain.url}/rain/${open}`);
    await check();
    await says(
      page,
      /^3 red packets are published as fixed\. Check again here after the end.* The server drew the amounts alone\.$/,
    );
    expect(await seriousFaults(page)).toEqual([]);
    await stage.rain.operator().post(`/v1/activities/${open}/close`);
    await waitFor(
      async () => {
        await check();
        return page
          .getByText(
            'Verified: the seed matches all 3 published red packets. This device saw the same before',
          )
          .isVisible();
      },
      { what: 'the revealed seed' },
    );
    expect(complaints).toEqual([]);
    await page.goto(`${stage.rain.url}/rain/${link}`);
    await check();
    await says(page, 'Nothing is published here, or the red packets are for someone else.');
    await page.goto('about:blank');
    await page.goto(`${stage.rain.url}/rain/${link}#c=${await codeOf(link)}`);
    await check();
    await says(page, /^3 red packets are published as fixed/);
    expect(page.url()).toBe(`${stage.rain.url}/rain/${link}`);
  });

  it('the sponsor shares the link with its code without ever having typed the code', async () => {
    const id = await create({ kind: 'link' });
    const visitor = await stage.player(id, 'host');
    await grab(visitor.page);
    await says(visitor.page, 'You got a red packet!');
    expect(await sharedBy(visitor)).toBe(`${stage.rain.url}/rain/${id}#c=${await codeOf(id)}`);
  });

  it('a wrong password opens nothing, the right one opens the packet, and a reload does not ask for it again', async () => {
    const id = await create({ kind: 'password', password: PASSWORD });
    const visitor = await stage.visitor({ reducedMotion: 'reduce' });
    const { page, traffic } = visitor;
    await come(visitor, id, 'cho', 'password&');
    await says(page, 'These red packets open with a password.');
    expect(await seriousFaults(page)).toEqual([]);
    await fill(page, 'Have a red-packet password?', '恭喜');
    await page.keyboard.press('Enter');
    await says(page, "That password isn't right.");
    await fill(page, 'Have a red-packet password?', '恭喜发财 🧧');
    await press(page, 'Open');
    await says(page, 'Red packets are falling.');
    await grab(page);
    await says(page, 'In your wallet');
    expect(await sharedBy(visitor)).toBe(`${stage.rain.url}/rain/${id}#password`);
    await page.reload();
    await says(page, 'You already got this one.');
    expect(traffic.filter((line) => /^[A-Z]+ .*(password|恭喜|%E6)/.test(line))).toEqual([]);
  });

  it('wrong passwords get the same answer if no such packet exists, and after too many the page says when to try again', async () => {
    const visitor = await stage.visitor();
    const { page } = visitor;
    await come(visitor, '999999', 'dov', '');
    await says(page, 'There are no red packets here.');
    for (let no = 1; no <= 10; no++) {
      await fill(page, 'Have a red-packet password?', `guess ${no}`);
      const answer = page.waitForResponse((response) => response.url().endsWith('/999999'));
      await press(page, 'Open');
      expect((await answer).status()).toBe(404);
    }
    await fill(page, 'Have a red-packet password?', 'guess 11');
    await press(page, 'Open');
    await says(page, /^Too many wrong passwords\. Try again in \d+ seconds\.$/);
    await says(page, 'There are no red packets here.');
  });

  it('neither the log of a server that logs everything nor any Referer contains a code or a password', async () => {
    const [linked, locked] = [
      await create({ kind: 'link' }),
      await create({ kind: 'password', password: 'Sesame88' }),
    ];
    const code = await codeOf(linked);
    const { program, url } = await stage.rain.startAnother('main.js', { LOG_LEVEL: 'debug' });
    const visitor = await stage.visitor();
    const { page } = visitor;
    visitor.expectsStrangers = true;
    const referers = new Set<string>();
    page.on('request', (request) => referers.add(request.headers().referer ?? ''));
    await page.goto(`${url}/rain/${linked}#c=${code}&token=${stage.rain.tokenOf('eli')}`);
    await grab(page);
    await says(page, 'You got a red packet!');
    await page.goto(`${url}/rain/${locked}#password`);
    await fill(page, 'Have a red-packet password?', 'Sesame88');
    await press(page, 'Open');
    await grab(page);
    await says(page, 'You got a red packet!');
    expect(program.output).toContain('DEBUG');
    for (const secret of [code, 'Sesame88', stage.rain.tokenOf('eli')])
      expect([program.output.includes(secret), [...referers].some((text) => text.includes(secret))]).toEqual([
        false,
        false,
      ]);
  });
}
