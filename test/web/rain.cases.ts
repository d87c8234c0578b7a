import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { signToken } from '../../src/platform/http/auth/sign-token';
import { waitFor } from '../harness/engines';
import { JWT_SECRET } from '../harness/installation';
import { createTicketKey, ticketFor } from '../harness/ticket';
import { seriousFaults } from './accessibility';
import type { Visitor } from './chromium';
import { APP, forbidWebSockets, GOLDEN_POINT, grab, press, says, type Stage } from './stage';

const BUILT = resolve('dist', 'web');
const STRANGER = 'http://stranger.example';

export function rainCases(stage: Stage): void {
  it('takes two players from the countdown to "in your wallet", without requests to other hosts', async () => {
    // Browsers take a while to start: without a first visit the countdown is missed.
    const other = await stage.rain.createActivity({ packetCount: 1 });
    const players = await Promise.all([stage.player(other, 'ann'), stage.player(other, 'ben')]);
    await Promise.all(players.map(({ page }) => says(page, 'It is raining.')));
    const id = await stage.rain.createActivity({ opensInMs: 5_000, packetCount: 2, totalAmount: '20.00' });
    await Promise.all(players.map(({ page }) => page.goto(`${stage.rain.url}/rain/${id}`)));
    await Promise.all(
      players.map(async ({ page }) => {
        await says(page, 'It rains in');
        await grab(page);
        await says(page, 'You got a red packet!');
        await says(page, 'In your wallet');
        await page.getByRole('button', { name: 'Check your packet' }).click();
        await says(page, 'this packet existed before the rain began');
      }),
    );
    for (const [i, user] of ['ann', 'ben'].entries()) {
      const { balance } = (await stage.rain.user(user).get('/v1/me/wallet')).body as { balance: string };
      await players[i]!.page.locator(`[data-balance="${balance}"]`).waitFor();
      expect(players[i]!.complaints).toEqual([]);
    }
    expect((await stage.rain.proof(id)).verdict).toBe('balanced');
  });

  it('shows returning players their packet, and does not keep a token in its URL', async () => {
    const id = await stage.rain.createActivity({ packetCount: 1 });
    const { page } = await stage.player(id, 'cat');
    expect(page.url()).toBe(`${stage.rain.url}/rain/${id}`);
    await grab(page);
    await says(page, 'You got a red packet!');
    await page.evaluate(`navigator.share = (what) => Promise.resolve((globalThis.shared = what.url))`);
    await page.getByRole('button', { name: 'Share this rain' }).click();
    expect(await page.evaluate('globalThis.shared')).toBe(`${stage.rain.url}/rain/${id}`);
    await page.reload();
    await says(page, 'This red packet is yours already.');
    expect(page.url()).toBe(`${stage.rain.url}/rain/${id}`);
  });

  it('sends its first requests before its script has loaded, and each of them once', async () => {
    const id = await stage.rain.createActivity({ packetCount: 1 });
    const visitor = await stage.visitor();
    const asked = (line: string) => visitor.traffic.filter((sent) => sent === `GET ${line}`).length;
    const firsts = [`/v1/activities/${id}`, '/v1/me/packets', '/v1/me/wallet'];
    // A page that starts to receive news asks again, for anything that it has missed.
    await forbidWebSockets(visitor.page);
    await visitor.page.route('**/v1/me/events*', (route) => route.abort());
    await visitor.page.route('**/assets/rain-*.js', async (route) => {
      await waitFor(() => firsts.every((path) => asked(path) === 1), { what: 'the first questions' });
      await route.continue();
    });
    await stage.enter(visitor, id, 'early');
    await says(visitor.page, 'It is raining.');
    expect(firsts.map(asked)).toEqual([1, 1, 1]);
  });

  it('looks the way its sponsor wants, and stays readable', async () => {
    const colors = { background: '#fff8e7', foreground: '#1a1a1a', accent: '#9a0012' };
    const theme = { sender: 'Acme', greeting: 'Happy New Year!', colors };
    const id = await stage.rain.createActivity({ packetCount: 1, theme });
    await stage.rain.operator().patch(`/v1/activities/${id}`, { logo: GOLDEN_POINT });
    const { page, complaints } = await stage.player(id, 'amy', { reducedMotion: 'reduce' });
    await says(page, 'Acme');
    await says(page, 'Happy New Year!');
    await page.waitForFunction(`document.querySelector('.blessing img').naturalWidth === 1`);
    const background = `getComputedStyle(document.body).backgroundColor`;
    expect(await page.evaluate(background)).toBe('rgb(255, 248, 231)');
    const faults = await seriousFaults(page);
    await grab(page);
    await says(page, 'In your wallet');
    expect([...faults, ...(await seriousFaults(page)), ...complaints]).toEqual([]);
  });

  it('lets a tap on a falling envelope grab', async () => {
    const id = await stage.rain.createActivity({ packetCount: 1 });
    const { page } = await stage.player(id, 'eve');
    await page.locator('.envelope').first().dispatchEvent('pointerdown');
    await says(page, 'You got a red packet!');
  });

  describe('a page of a user who is too late', () => {
    async function joinsWaitingList(id: string, visitor: Visitor, user: string): Promise<void> {
      await stage.rain.user('dan').post(`/v1/activities/${id}/grabs`);
      await stage.enter(visitor, id, user);
      const { page } = visitor;
      await says(page, 'All red packets are gone.');
      await page.getByRole('button', { name: 'Join the waiting list' }).click();
      await says(page, 'You are number 1 in the waiting list.');
    }

    async function topUp(id: string): Promise<void> {
      const operator = stage.rain.operator();
      const deposit = await operator.post('/v1/wallets/giver/deposits', { amount: '2.00' });
      expect(deposit.status).toBe(201);
      const added = { amount: '2.00', packetCount: 1 };
      expect((await operator.post(`/v1/activities/${id}/top-ups`, added)).status).toBe(201);
    }

    const rain = { packetCount: 1, totalAmount: '1.00', sponsorId: 'giver' };

    it('says so, offers the waiting list, and shows the packet that the user receives there', async () => {
      const id = await stage.rain.createActivity(rain);
      const visitor = await stage.visitor();
      await joinsWaitingList(id, visitor, 'fay');
      await topUp(id);
      await says(visitor.page, 'You got a red packet!');
      await says(visitor.page, 'In your wallet');
      expect(visitor.complaints).toEqual([]);
    });

    it('shows a packet as new if a full reload finds it before its news arrives', async () => {
      const id = await stage.rain.createActivity(rain);
      const visitor = await stage.visitor();
      let send: (frame: string) => void;
      await visitor.page.routeWebSocket('**/v1/gateway', (socket) => {
        const server = socket.connectToServer();
        send = (frame) => socket.send(frame);
        server.onMessage((frame) => String(frame).includes('redPacketId') || socket.send(frame));
      });
      await joinsWaitingList(id, visitor, 'ivy');
      await topUp(id);
      const packets = () => stage.rain.user('ivy').get(`/v1/me/packets?activityId=${id}`);
      await waitFor(async () => (await packets()).text.includes('redPacketId'), { what: 'the packet' });
      send!(JSON.stringify({ event: 'resync', eventId: '1', data: {} }));
      await says(visitor.page, 'You got a red packet!');
    });
  });

  it('shows that a rain was closed', async () => {
    const id = await stage.rain.createActivity({ packetCount: 3 });
    const { page } = await stage.player(id, 'gus');
    await says(page, 'It is raining.');
    await stage.rain.operator().post(`/v1/activities/${id}/close`);
    await says(page, 'The rain is over.');
  });

  it('reloads without a network, says so together with what the player knew, and does not keep API answers', async () => {
    const id = await stage.rain.createActivity({ packetCount: 1, totalAmount: '8.88', name: 'Tunnel' });
    const { page, context } = await stage.player(id, 'hana');
    await grab(page);
    await says(page, 'In your wallet');
    await page.evaluate('navigator.serviceWorker.ready');
    await context.setOffline(true);
    await page.reload();
    await page.getByRole('heading', { name: 'Tunnel' }).waitFor();
    await says(page, 'You are offline.');
    await says(page, 'You have won ¥8.88.');
    expect(await seriousFaults(page)).toEqual([]);
    const kept = `caches.keys().then(async (names) => {
      const all = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()));
      return all.flat().map(({ url }) => new URL(url).pathname.replace(/-\\w+/, '')).sort();
    })`;
    expect(await page.evaluate(kept)).toEqual([
      '/assets/early.js',
      '/assets/rain.css',
      '/assets/rain.js',
      '/rain/shell',
    ]);
    await context.setOffline(false);
    await says(page, 'This red packet is yours already.');
    await page.goto(`${stage.rain.url}/console`);
    expect(await page.evaluate('navigator.serviceWorker.getRegistration()')).toBeUndefined();
  });

  it('shows who had the best luck after the end, even to the winner who stayed', async () => {
    const id = await stage.rain.createActivity({ packetCount: 2, totalAmount: '2.00', showsBestLuck: true });
    await stage.rain.user('pia-from-the-shop').post(`/v1/activities/${id}/grabs`);
    const { page } = await stage.player(id, 'qi', { reducedMotion: 'reduce' });
    await grab(page);
    await says(page, 'In your wallet');
    await stage.rain.operator().post(`/v1/activities/${id}/close`);
    const list = page.getByRole('region', { name: 'Best luck' }).getByRole('listitem');
    await list.filter({ hasText: 'p***p' }).waitFor();
    await list.filter({ hasText: 'You' }).waitFor();
    expect(await seriousFaults(page)).toEqual([]);
  });

  it('continues by itself when the network comes back', async () => {
    const id = await stage.rain.createActivity({ packetCount: 1 });
    const { page, context } = await stage.player(id, 'hal');
    await says(page, 'It is raining.');
    await context.setOffline(true);
    await grab(page);
    await says(page, 'Your network is away.');
    await context.setOffline(false);
    await says(page, 'You got a red packet!');
    await says(page, 'In your wallet');
  });

  describe.each([
    [503, 'activity.loading', 'The rain pauses for a moment.'],
    [429, 'request.rate_limited', 'Very many people are tapping.'],
  ])('keeps asking while a tap is answered %i', (status, code, sentence) => {
    const problem = { type: '/docs/errors', title: 'x', status, detail: 'x', code };

    it('over the gateway', async () => {
      const id = await stage.rain.createActivity({ packetCount: 1 });
      const visitor = await stage.visitor();
      let isRefusing = true;
      let watched = false;
      await visitor.page.routeWebSocket('**/v1/gateway', (socket) => {
        const server = socket.connectToServer();
        server.onMessage((frame) => {
          watched = true;
          socket.send(frame);
        });
        socket.onMessage((frame) => {
          const { id: frameId, op } = JSON.parse(String(frame)) as { id: string; op: string };
          if (op !== 'grab' || !isRefusing) return server.send(frame);
          socket.send(JSON.stringify({ id: frameId, status, body: problem, retryAfter: 0 }));
        });
      });
      await stage.enter(visitor, id, `patient-${status}`);
      await says(visitor.page, 'It is raining.');
      await waitFor(() => watched, { what: 'the answer to watch' });
      await grab(visitor.page);
      await says(visitor.page, sentence);
      isRefusing = false;
      await says(visitor.page, 'You got a red packet!');
    });

    it('over HTTP', async () => {
      const id = await stage.rain.createActivity({ packetCount: 1 });
      const visitor = await stage.visitor();
      const { page } = visitor;
      await forbidWebSockets(page);
      let isRefusing = true;
      await page.route('**/grabs', (route) => {
        if (!isRefusing) return route.continue();
        const headers = { 'retry-after': '0', 'content-type': 'application/problem+json' };
        return route.fulfill({ status, headers, body: JSON.stringify(problem) });
      });
      await stage.enter(visitor, id, `patient-http-${status}`);
      await says(page, 'It is raining.');
      await grab(page);
      await says(page, sentence);
      isRefusing = false;
      await says(page, 'You got a red packet!');
    });
  });

  it('keeps asking while Redis is down, and gets a packet when it is back', async () => {
    const id = await stage.rain.createActivity({ packetCount: 1 });
    const { page } = await stage.player(id, 'ivy');
    await says(page, 'It is raining.');
    process.kill(stage.rain.redisEngine.pid, 'SIGSTOP');
    await grab(page);
    await says(page, 'The rain pauses for a moment.');
    process.kill(stage.rain.redisEngine.pid, 'SIGCONT');
    await says(page, 'You got a red packet!');
    await says(page, 'In your wallet');
    expect((await stage.rain.proof(id)).verdict).toBe('balanced');
  });

  it('asks for another token when its own is not accepted, and takes one from the app around it', async () => {
    const id = await stage.rain.createActivity({ packetCount: 1 });
    const { page } = await stage.visitor();
    await page.goto(`${stage.rain.url}/rain/${id}#token=not.a.token`);
    await says(page, 'Please open this rain from your app');
    const message = { type: 'hongbao.token', token: stage.rain.tokenOf('ida') };
    await page.evaluate(`postMessage(${JSON.stringify(message)}, '*')`);
    await says(page, 'It is raining.');
  });

  it('takes a newer token of its user from a link, and never a token of another user', async () => {
    const id = await stage.rain.createActivity({ packetCount: 2 });
    const { page } = await stage.player(id, 'liz');
    await says(page, 'It is raining.');
    const kept = () => page.evaluate(`sessionStorage.getItem('hongbao.player')`);
    const linkTo = (token: string) => `${stage.rain.url}/rain/${id}#token=${token}`;
    const first = await kept();
    for (const open of [() => page.goto('about:blank'), () => Promise.resolve()]) {
      await open();
      await page.goto(linkTo(stage.rain.tokenOf('mal')));
      await page.waitForURL(`${stage.rain.url}/rain/${id}`);
      expect(await kept()).toBe(first);
    }
    const newer = signToken({ secret: JWT_SECRET }, { sub: 'liz', role: 'user' }, 2);
    await page.goto(linkTo(newer));
    await page.waitForURL(`${stage.rain.url}/rain/${id}`);
    expect([await kept(), newer === first]).toEqual([newer, false]);
  });

  it('sends the ticket from its link or from the app around it, if the activity requires a ticket', async () => {
    const key = await createTicketKey(stage.rain, 'web-tickets');
    const create = () =>
      stage.rain.createActivity({ sponsorId: 'web-tickets', packetCount: 1, admission: 'ticket' });
    const { page } = await stage.visitor();
    const open = (id: string, more = '') =>
      page.goto(`${stage.rain.url}/rain/${id}#token=${stage.rain.tokenOf('tia')}${more}`);
    const [linked, given] = [await create(), await create()];
    await open(linked, `&ticket=${ticketFor(key, linked, 'tia')}`);
    await says(page, 'It is raining.');
    await grab(page);
    await says(page, 'You got a red packet!');

    await open(given);
    await says(page, 'It is raining.');
    const message = { type: 'hongbao.ticket', ticket: ticketFor(key, given, 'tia') };
    await page.evaluate(`postMessage(${JSON.stringify(message)}, '*')`);
    await grab(page);
    await says(page, 'You got a red packet!');
  });

  it('can be embedded only by the app that gives it a token', async () => {
    const id = await stage.rain.createActivity({ packetCount: 1 });
    const visitor = await stage.visitor();
    visitor.expectsStrangers = true;
    const { page } = visitor;
    const session = { hongbao: stage.rain.url, activity: id, token: stage.rain.tokenOf('una') };
    const path = join('examples', 'embed', 'index.html');
    await page.route(/\.example\//, (route) =>
      new URL(route.request().url()).pathname === '/session'
        ? route.fulfill({ json: session })
        : route.fulfill({ contentType: 'text/html', path }),
    );
    await page.goto(APP);
    await page.frameLocator('iframe').getByText('It is raining.').waitFor();
    const refusal = page.waitForEvent('console', (message) => message.text().includes('frame-ancestors'));
    await page.goto(STRANGER);
    await refusal;
  });

  it('can be served by any other server, and calls the API that its settings name', async () => {
    const id = await stage.rain.createActivity({ packetCount: 1 });
    const visitor = await stage.visitor();
    const { page, complaints, traffic } = visitor;
    const settings = JSON.stringify({ api: stage.rain.url }).replaceAll('"', '&quot;');
    await page.route(`${APP}/**`, async (route) => {
      const { pathname } = new URL(route.request().url());
      if (pathname.startsWith('/assets/')) return route.fulfill({ path: join(BUILT, pathname) });
      const html = readFileSync(join(BUILT, 'rain.html'), 'utf8').replace(
        'content="{}"',
        `content="${settings}"`,
      );
      return route.fulfill({ contentType: 'text/html', body: html });
    });
    await stage.enter(visitor, id, 'guest-of-app', APP);
    await waitFor(() => traffic.some((line) => line.includes('"activityIds"')), { what: 'the gateway' });
    await grab(page);
    await says(page, 'In your wallet');
    expect(complaints).toEqual([]);
  });

  it('says that a rain does not exist', async () => {
    const { page } = await stage.player('999999', 'jim');
    await says(page, 'There is no such rain.');
  });

  it('can be played with only the keyboard, in Chinese', async () => {
    const id = await stage.rain.createActivity({ packetCount: 1 });
    const { page } = await stage.player(id, 'kai', { locale: 'zh-CN' });
    await says(page, '红包雨来了');
    expect(await page.locator('html').getAttribute('lang')).toBe('zh-CN');
    for (const _ of ['the language', 'the wallet', 'the sound', 'the packet'])
      await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await says(page, '恭喜，您抢到红包了！');
  });

  it('sounds and vibrates for players who switch that on, also on their next visit', async () => {
    const id = await stage.rain.createActivity({ packetCount: 2 });
    const { page, complaints, context } = await stage.visitor();
    await context.addInitScript(`
      felt = [];
      navigator.vibrate = (times) => felt.push(times.length);
      const { start } = OscillatorNode.prototype;
      OscillatorNode.prototype.start = function (at) { felt.push('note'); return start.call(this, at); };`);
    const open = (user: string) =>
      page.goto(`${stage.rain.url}/rain/${id}#token=${stage.rain.tokenOf(user)}`);
    const felt = () => page.evaluate('felt');
    await open('oda');
    await says(page, 'It is raining.');
    await page.getByRole('button', { name: 'Wallet' }).click();
    await press(page, 'Close');
    expect(await felt()).toEqual([]);
    await page.getByRole('switch', { name: 'Sound' }).click();
    expect(await felt()).toEqual([1, 'note']);
    await page.reload();
    await grab(page);
    await says(page, 'You got a red packet!');
    expect(await felt()).toEqual([1, 'note', 3, 'note', 'note', 'note', 'note']);
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await page.reload();
    await says(page, 'This red packet is yours already.');
    expect(await page.getByRole('switch').count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it('moves nothing for people who prefer reduced motion', async () => {
    const id = await stage.rain.createActivity({ packetCount: 1 });
    const { page } = await stage.player(id, 'lea', { reducedMotion: 'reduce' });
    await says(page, 'It is raining.');
    expect(await page.evaluate('document.getAnimations().length')).toBe(0);
    await grab(page);
    await says(page, 'You got a red packet!');
    expect(await page.evaluate('document.getAnimations().length')).toBe(0);
  });

  it('has no serious accessibility fault that axe knows, on any screen, in the light and the dark scheme', async () => {
    const scheduled = await stage.rain.createActivity({ packetCount: 1, opensInMs: 3_000_000 });
    const { page } = await stage.player(scheduled, 'mia', { reducedMotion: 'reduce' });
    await says(page, 'It rains in');
    const faults = { countdown: await seriousFaults(page) } as Record<string, string[]>;
    const id = await stage.rain.createActivity({ packetCount: 1 });
    await page.goto(`${stage.rain.url}/rain/${id}`);
    await says(page, 'It is raining.');
    faults.rain = await seriousFaults(page);
    await grab(page);
    await says(page, 'In your wallet');
    faults.won = await seriousFaults(page);
    const { page: late } = await stage.player(id, 'noa', { reducedMotion: 'reduce' });
    await says(late, 'All red packets are gone.');
    faults['sold out'] = await seriousFaults(late);
    expect(Object.values(faults).flat()).toEqual([]);
  });
}
