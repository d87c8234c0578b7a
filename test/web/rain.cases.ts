import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { signToken } from '../../src/platform/http/auth/sign-token';
import { PROBLEMS } from '../../src/web/console/words/zh-problems';
import { waitFor } from '../harness/engines';
import { JWT_SECRET } from '../harness/installation';
import { createTicketKey, ticketFor } from '../harness/ticket';
import { seriousFaults } from './accessibility';
import type { Visitor } from './chromium';
import { answerProblem, postFromApp } from './requests';
import { APP, forbidWebSockets, GOLDEN_POINT, grab, press, says, type Stage } from './stage';

const BUILT = resolve('dist', 'web');
const STRANGER = 'http://stranger.example';

const problemOf = (status: number, code: string) => ({
  ...{ type: '/docs/errors', title: 'No title', detail: 'An English sentence.' },
  ...{ status, code },
});

type Answer = readonly [status: number, body: object];

interface Answers {
  readonly activity?: Answer;
  readonly grab?: Answer;
  readonly join?: Answer;
}

const LATER = new Date(Date.now() + 3_600_000).toISOString();
const OVER = { code: '-1', reason: 'sold-out' };
const NOTHING_TO_WAIT_FOR = 'waitlist.nothing_to_wait_for';

/** Problems that the page shows as states of their own: away, full, and open again. */
const STATES_OF_PROBLEMS = ['idempotency.in_flight', 'waitlist.full', NOTHING_TO_WAIT_FOR];

/** States of the page, the answers of the API that lead to them, and a sentence that each shows. */
const STATES: readonly (readonly [string, Answers, string])[] = [
  ['no such rain', { activity: [404, problemOf(404, 'activity.not_found')] }, '这里没有红包'],
  ['busy', { activity: [429, problemOf(429, 'rate_limited')] }, '人太多了'],
  ['away', { activity: [503, problemOf(503, 'unavailable')] }, '稍有延迟'],
  ['scheduled', { activity: [200, { phase: 'scheduled', opensAt: LATER }] }, '距离开始还有'],
  ['open', {}, '红包雨来了'],
  ['closed', { activity: [200, { phase: 'closed' }] }, '红包雨结束了'],
  ['cancelled', { activity: [200, { phase: 'closed', cancelled: true }] }, '活动已取消'],
  ['sold out', { activity: [200, { phase: 'sold-out' }] }, '手慢了，红包抢完了'],
  ['not yet', { grab: [200, { code: '-1', reason: 'not-yet', nextAt: LATER }] }, '距离下一波红包还有'],
  ['limit', { grab: [200, { code: '-1', reason: 'limit' }] }, '您已抢到上限'],
  ['waiting', { grab: [200, OVER], join: [201, { position: 3 }] }, '候补第 3 位'],
  ['full', { grab: [200, OVER], join: [409, problemOf(409, 'waitlist.full')] }, '候补名单已满'],
  ['not full', { grab: [200, OVER], join: [409, problemOf(409, NOTHING_TO_WAIT_FOR)] }, '红包雨来了'],
  ['no ticket', { grab: [403, problemOf(403, 'grab.ticket_required')] }, '这场红包雨需要入场券'],
  ['another answer', { grab: [418, { hello: 'from a proxy' }] }, '操作没有成功，请再试一次'],
  ['won', { grab: [200, { code: '0', redPacketId: '1', amount: '1.00' }] }, '恭喜，抢到红包！'],
  ['signed out', { activity: [401, problemOf(401, 'auth.unauthenticated')] }, '请在 App 中打开本页面'],
];

/** Brings the page of a rain into its states, one by one. */
class Walk {
  private answers: Answers = {};

  private constructor(
    private readonly page: Page,
    private readonly open: () => Promise<unknown>,
  ) {}

  static async begin(stage: Stage, page: Page, id: string, activity: object): Promise<Walk> {
    await forbidWebSockets(page);
    // A page that starts to receive news asks again, which would undo the answer to a tap.
    await page.route('**/v1/me/events*', (route) => route.abort());
    await page.addInitScript('navigator.serviceWorker.register = () => Promise.reject(new Error())');
    const url = `${stage.rain.url}/rain/${id}#token=${stage.rain.tokenOf('wen')}`;
    const walk = new Walk(page, async () => {
      await page.goto('about:blank');
      await page.goto(url);
    });
    const answer = (glob: string, choose: (answers: Answers) => Answer | undefined, base = {}) =>
      page.route(glob, (route) => {
        const [status, body] = choose(walk.answers) ?? [200, {}];
        const contentType = status < 400 ? 'application/json' : 'application/problem+json';
        return route.fulfill({ status, contentType, json: status < 400 ? { ...base, ...body } : body });
      });
    await answer(`**/v1/activities/${id}`, ({ activity: given }) => given, activity);
    await answer(`**/v1/activities/${id}/grabs`, ({ grab: given }) => given);
    await answer(`**/v1/activities/${id}/waitlist*`, ({ join }) => join);
    return walk;
  }

  async come(answers: Answers): Promise<void> {
    this.answers = answers;
    await this.open();
    if (answers.grab) await press(this.page, '抢红包');
    if (answers.join) await press(this.page, '加入候补');
  }

  async askAgain(answers: Answers): Promise<void> {
    this.answers = answers;
    await press(this.page, '再试一次');
  }

  /** Finds English sentences, and states that the player can neither leave nor wait in. */
  async faults(): Promise<string[]> {
    const text = await this.page.locator('main').innerText();
    const english = text.match(/[A-Za-z]{2,}[ ,][A-Za-z ,]+/g) ?? [];
    const ways = await this.page.locator(':is(.card, footer) :is(button, a)').count();
    const waits = /请留在|继续为您|自动/.test(text);
    return [...english, ...(ways > 0 || waits ? [] : ['no way on'])];
  }
}

export function rainCases(stage: Stage): void {
  /** Shows all players a rain that is still counting down. On a busy machine, tries again with a longer countdown. */
  async function countsDown(players: readonly Visitor[], opensInMs = 5_000): Promise<string> {
    const id = await stage.rain.createActivity({ opensInMs, packetCount: 2, totalAmount: '20.00' });
    const seen = await Promise.all(
      players.map(async ({ page }) => {
        await page.goto(`${stage.rain.url}/rain/${id}`);
        return page.getByText(/^(It rains in|It's raining)/).innerText();
      }),
    );
    return seen.every((text) => text === 'It rains in') ? id : countsDown(players, 2 * opensInMs);
  }

  it('takes two players from the countdown to "in your wallet", without requests to other hosts', async () => {
    // Browsers take a while to start: without a first visit the countdown is missed.
    const other = await stage.rain.createActivity({ packetCount: 1 });
    const players = await Promise.all([stage.player(other, 'ann'), stage.player(other, 'ben')]);
    await Promise.all(players.map(({ page }) => says(page, "It's raining red packets.")));
    const id = await countsDown(players);
    await Promise.all(
      players.map(async ({ page }) => {
        await grab(page);
        await says(page, 'You got a red packet!');
        await says(page, 'In your wallet');
        await page.getByRole('button', { name: 'Was it fair?' }).click();
        await says(page, 'this packet existed before the rain began. The server drew the amounts alone.');
      }),
    );
    for (const [i, user] of ['ann', 'ben'].entries()) {
      const { balance } = (await stage.rain.user(user).get('/v1/me/wallet')).body as { balance: string };
      await players[i]!.page.locator(`[data-balance="${balance}"]`).waitFor();
      expect(players[i]!.complaints).toEqual([]);
    }
    expect((await stage.rain.proof(id)).verdict).toBe('balanced');
  });

  it('says with the proof of a packet, in both languages, that a word of the sponsor was in the draw, once that can be checked', async () => {
    const { commitment } = (await stage.rain.operator().post('/v1/commitments')).body as {
      commitment: string;
    };
    const word = { commitment, sponsorSeed: 'cd'.repeat(32) };
    const id = await stage.rain.createActivity({ packetCount: 1, ...word });
    const { page } = await stage.player(id, 'prover');
    await grab(page);
    const check = () => page.getByRole('button', { name: 'Was it fair?' }).click();
    await check();
    await says(
      page,
      'before the rain began. The server says the sponsor took part in the draw. Check again after the end.',
    );
    await stage.rain.operator().post(`/v1/activities/${id}/close`);
    const isRevealed = async () =>
      (await stage.rain.operator().get(`/v1/activities/${id}/fairness`)).body.batches[0].seed !== null;
    await waitFor(isRevealed, { what: 'the revealed seed' });
    await check();
    await says(page, 'before the rain began. The sponsor and the server drew the amounts together');
    await page.getByRole('button', { name: '中文' }).click();
    await says(page, '由发起方与服务器共同抽取');
  });

  it('shows returning players their packet, and does not keep a token in its URL', async () => {
    const id = await stage.rain.createActivity({ packetCount: 1 });
    const { page } = await stage.player(id, 'cat');
    expect(page.url()).toBe(`${stage.rain.url}/rain/${id}`);
    await grab(page);
    await says(page, 'You got a red packet!');
    await page.evaluate(`navigator.share = (what) => Promise.resolve((globalThis.shared = what.url))`);
    await page.getByRole('button', { name: 'Share link' }).click();
    expect(await page.evaluate('globalThis.shared')).toBe(`${stage.rain.url}/rain/${id}`);
    await page.reload();
    await says(page, 'You already got this one.');
    expect(page.url()).toBe(`${stage.rain.url}/rain/${id}`);
  });

  it('sends its first requests before its script has loaded, and each of them only once', async () => {
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
    await says(visitor.page, "It's raining red packets.");
    expect(firsts.map(asked)).toEqual([1, 1, 1]);
  });

  it('looks the way its sponsor wants, and stays legible', async () => {
    const colors = { background: '#fff8e7', foreground: '#1a1a1a', accent: '#9a0012' };
    const theme = { sender: 'Acme', greeting: 'Happy New Year!', colors };
    const id = await stage.rain.createActivity({ packetCount: 1, theme });
    await stage.rain.operator().patch(`/v1/activities/${id}`, { logo: GOLDEN_POINT });
    const { page, complaints } = await stage.player(id, 'amy', { reducedMotion: 'reduce' });
    await says(page, 'Acme');
    await says(page, 'Happy New Year!');
    await waitFor(
      () => page.evaluate<boolean>(`document.querySelector('.blessing img').naturalWidth === 1`),
      { what: 'the logo' },
    );
    const background = `getComputedStyle(document.body).backgroundColor`;
    expect(await page.evaluate(background)).toBe('rgb(255, 248, 231)');
    const faults = await seriousFaults(page);
    await grab(page);
    await says(page, 'In your wallet');
    expect([...faults, ...(await seriousFaults(page)), ...complaints]).toEqual([]);
  });

  it('grabs when a falling envelope is tapped', async () => {
    const id = await stage.rain.createActivity({ packetCount: 1 });
    const { page } = await stage.player(id, 'eve');
    await page.locator('.envelope').first().dispatchEvent('pointerdown');
    await says(page, 'You got a red packet!');
  });

  describe('for a user who is too late', () => {
    async function joinsWaitingList(id: string, visitor: Visitor, user: string): Promise<void> {
      await stage.rain.user('dan').post(`/v1/activities/${id}/grabs`);
      await stage.enter(visitor, id, user);
      const { page } = visitor;
      await says(page, 'All red packets are gone.');
      await page.getByRole('button', { name: 'Join the waiting list' }).click();
      await says(page, "You're number 1 on the waiting list.");
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
    await says(page, "It's raining red packets.");
    await stage.rain.operator().post(`/v1/activities/${id}/close`);
    await says(page, 'The rain is over.');
  });

  it('reloads without a network, says so along with what the player knew, and keeps no API answers', async () => {
    const id = await stage.rain.createActivity({ packetCount: 1, totalAmount: '8.88', name: 'Tunnel' });
    const { page, context } = await stage.player(id, 'hana');
    await grab(page);
    await says(page, 'In your wallet');
    await page.evaluate('navigator.serviceWorker.ready');
    await context.setOffline(true);
    await page.reload();
    await page.getByRole('heading', { name: 'Tunnel' }).waitFor();
    await says(page, "You're offline.");
    await says(page, 'You got ¥8.88.');
    expect(await seriousFaults(page)).toEqual([]);
    const kept = `caches.keys().then(async (names) => {
      const all = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()));
      return all.flat().map(({ url }) => new URL(url).pathname.replace(/-\\w+/, '')).sort();
    })`;
    expect(await page.evaluate(kept)).toEqual([
      '/assets/chunk.js',
      '/assets/early.js',
      '/assets/extras.js',
      '/assets/rain.css',
      '/assets/rain.js',
      '/rain/shell',
    ]);
    await context.setOffline(false);
    await says(page, 'You already got this one.');
    await page.goto(`${stage.rain.url}/console`);
    expect(await page.evaluate('navigator.serviceWorker.getRegistration()')).toBeUndefined();
  });

  it('says that a part of it did not load, and loads it again on demand', async () => {
    const id = await stage.rain.createActivity({ packetCount: 1 });
    const visitor = await stage.visitor();
    const { page } = visitor;
    await page.route('**/assets/extras-*', (route) => route.abort());
    await stage.enter(visitor, id, 'max');
    await page.getByRole('alert').filter({ hasText: "Part of this page didn't load." }).waitFor();
    await page.getByRole('button', { name: 'Grab a red packet' }).waitFor();
    await page.unroute('**/assets/extras-*');
    await press(page, 'Reload');
    await page.getByRole('button', { name: /^Wallet/ }).click();
    await page.getByRole('dialog', { name: 'Wallet' }).waitFor();
  });

  it('shows after the end who had the best luck, even to a winner who stayed on the page', async () => {
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
    await says(page, "It's raining red packets.");
    await context.setOffline(true);
    await grab(page);
    await says(page, 'No connection.');
    await context.setOffline(false);
    await says(page, 'You got a red packet!');
    await says(page, 'In your wallet');
  });

  describe.each([
    [503, 'activity.loading', 'A short delay.'],
    [429, 'request.rate_limited', 'So many people are tapping!'],
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
      await says(visitor.page, "It's raining red packets.");
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
        return answerProblem(route, status, code, { 'retry-after': '0' });
      });
      await stage.enter(visitor, id, `patient-http-${status}`);
      await says(page, "It's raining red packets.");
      await grab(page);
      await says(page, sentence);
      isRefusing = false;
      await says(page, 'You got a red packet!');
    });
  });

  it('keeps asking while Redis is down, and gets a packet when it is back', async () => {
    const id = await stage.rain.createActivity({ packetCount: 1 });
    const { page } = await stage.player(id, 'ivy');
    await says(page, "It's raining red packets.");
    process.kill(stage.rain.redisEngine.pid, 'SIGSTOP');
    await grab(page);
    await says(page, 'A short delay.');
    process.kill(stage.rain.redisEngine.pid, 'SIGCONT');
    await says(page, 'You got a red packet!');
    await says(page, 'In your wallet');
    expect((await stage.rain.proof(id)).verdict).toBe('balanced');
  });

  it('asks for another token when its own is not accepted, and takes one from the app around it', async () => {
    const id = await stage.rain.createActivity({ packetCount: 1 });
    const { page } = await stage.visitor();
    await page.goto(`${stage.rain.url}/rain/${id}#token=not.a.token`);
    await says(page, 'Open this page in your app');
    await postFromApp(page, { type: 'hongbao.token', token: stage.rain.tokenOf('ida') });
    await says(page, "It's raining red packets.");
  });

  it('accepts a newer token of its user from a link, and never a token of another user', async () => {
    const id = await stage.rain.createActivity({ packetCount: 2 });
    const { page } = await stage.player(id, 'liz');
    await says(page, "It's raining red packets.");
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
    await says(page, "It's raining red packets.");
    await grab(page);
    await says(page, 'You got a red packet!');

    await open(given);
    await says(page, "It's raining red packets.");
    await postFromApp(page, { type: 'hongbao.ticket', ticket: ticketFor(key, given, 'tia') });
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
    await page.frameLocator('iframe').getByText("It's raining red packets.").waitFor();
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

  it.each(['999999', 'abc', '0'])(
    'says that the rain %s does not exist, and leads to the front page',
    async (id) => {
      const { page } = await stage.player(id, 'jim');
      await says(page, 'There are no red packets here.');
      await page.getByRole('link', { name: 'Go to the home page' }).click();
      await page.waitForURL(`${stage.rain.url}/`);
    },
  );

  it('offers a way on from each state and each problem, without an English sentence in Chinese', async () => {
    const id = await stage.rain.createActivity({ name: '新年红包雨', packetCount: 1 });
    const { body: activity } = await stage.rain.user('wen').get(`/v1/activities/${id}`);
    const { page } = await stage.visitor({ locale: 'zh-CN', reducedMotion: 'reduce' });
    const walk = await Walk.begin(stage, page, id, activity);
    for (const [name, answers, sentence] of STATES) {
      await walk.come(answers);
      await page.locator('main').getByText(sentence).first().waitFor();
      expect([name, await walk.faults()]).toEqual([name, []]);
    }
    await walk.come({ activity: [409, problemOf(409, 'activity.newer')] });
    for (const code of Object.keys(PROBLEMS).filter((code) => !STATES_OF_PROBLEMS.includes(code))) {
      await walk.askAgain({ activity: [409, problemOf(409, code)] });
      await page.getByText(`代码：${code}`).waitFor();
      expect([code, await walk.faults()]).toEqual([code, []]);
    }
  });

  it.each([
    [320, 568],
    [568, 320],
  ])('keeps its button visible at %i × %i, however long the names are', async (width, height) => {
    const words = (count: number) => 'Wonderful '.repeat(count).trim();
    const theme = { sender: words(4), greeting: words(8) };
    const id = await stage.rain.createActivity({ packetCount: 1, name: words(8), theme });
    await stage.rain.operator().patch(`/v1/activities/${id}`, { logo: GOLDEN_POINT });
    const { page } = await stage.player(id, `small-${width}`, { viewport: { width, height } });
    const button = page.getByRole('button', { name: 'Grab a red packet' });
    await button.waitFor();
    await says(page, "It's raining red packets.");
    const { x, y, width: wide, height: high } = (await button.boundingBox())!;
    expect(Math.min(x, y)).toBeGreaterThanOrEqual(0);
    expect([x + wide <= width, y + high <= height]).toEqual([true, true]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    await button.click();
    await says(page, 'You got a red packet!');
  });

  it('tells a screen reader the amount won, once, in the element that it already listens to', async () => {
    const id = await stage.rain.createActivity({ packetCount: 1, totalAmount: '6.66' });
    const { page } = await stage.player(id, 'sue');
    await says(page, "It's raining red packets.");
    await page.evaluate(`heard = [];
      new MutationObserver(() => heard.push(live.textContent))
        .observe(globalThis.live = document.querySelector('.card > [role=status]'),
          { childList: true, characterData: true, subtree: true });`);
    await grab(page);
    await says(page, 'In your wallet');
    const heard = await page.evaluate<string[]>('heard');
    expect(heard.filter((text) => text.includes('6.66'))).toEqual(['You got a red packet! ¥6.66']);
    expect(await page.locator('.amount').getAttribute('aria-hidden')).toBe('true');
  });

  it('copies the link if a frame may not open the share sheet, and shows it if it may not copy either', async () => {
    const id = await stage.rain.createActivity({ packetCount: 1 });
    const { page } = await stage.player(id, 'val');
    await grab(page);
    await says(page, 'You got a red packet!');
    const share = () => page.getByRole('button', { name: 'Share link' }).click();
    const refuse = `() => Promise.reject(new DOMException('No.', 'NotAllowedError'))`;
    await page.evaluate(`navigator.share = ${refuse};
      navigator.clipboard.writeText = async (text) => { globalThis.copied = text; };`);
    await share();
    await says(page, 'Link copied.');
    expect(await page.evaluate('copied')).toBe(`${stage.rain.url}/rain/${id}`);
    await page.evaluate(`navigator.clipboard.writeText = ${refuse}`);
    await share();
    await says(page, 'Copy this link:');
    expect(await page.getByLabel('Copy this link:').inputValue()).toBe(`${stage.rain.url}/rain/${id}`);
    await page.evaluate(`navigator.share = () => Promise.reject(new DOMException('No.', 'AbortError'))`);
    await share();
    await page.getByLabel('Copy this link:').waitFor({ state: 'detached' });
  });

  it('can be played with only the keyboard, in Chinese', async () => {
    const id = await stage.rain.createActivity({ packetCount: 1 });
    const { page } = await stage.player(id, 'kai', { locale: 'zh-CN' });
    await says(page, '红包雨来了');
    expect(await page.locator('html').getAttribute('lang')).toBe('zh-CN');
    for (const _ of ['the language', 'the wallet', 'the sound', 'the packet'])
      await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await says(page, '恭喜，抢到红包！');
  });

  it('plays sounds and vibrates for players who switch that on, on their next visit too', async () => {
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
    await says(page, "It's raining red packets.");
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
    await says(page, 'You already got this one.');
    expect(await page.getByRole('switch').count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it('moves nothing for people who prefer reduced motion', async () => {
    const id = await stage.rain.createActivity({ packetCount: 1 });
    const { page } = await stage.player(id, 'lea', { reducedMotion: 'reduce' });
    await says(page, "It's raining red packets.");
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
    await says(page, "It's raining red packets.");
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
