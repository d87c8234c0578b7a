import type { Page } from 'playwright-core';
import { signToken } from '../../src/platform/http/auth/sign-token';
import { waitFor } from '../harness/engines';
import { JWT_SECRET } from '../harness/installation';
import { TcpProxy } from '../harness/tcp-proxy';
import type { Visitor } from './chromium';
import { OldProxy } from './old-proxy';
import { postFromApp } from './requests';
import { forbidWebSockets, grab, says, signIn, type Stage } from './stage';

const GATEWAY = '**/v1/gateway';
const OPENING_MS_MAX = 5_000;
const ANSWER_MS_MAX = 15_000;
/** The longest that a tap waits before it is repeated. */
const WAIT_MS_MAX = 15_000;
const TOKEN_SECONDS = 8;

const found = ({ traffic }: Visitor, pattern: RegExp): readonly string[] =>
  traffic.filter((line) => pattern.test(line));

const seen = (visitor: Visitor, pattern: RegExp, count = 1): Promise<unknown> =>
  waitFor(() => found(visitor, pattern).length >= count, { what: `${count} times ${String(pattern)}` });

/** Waits until the page watches its activity over the gateway. */
const watches = (visitor: Visitor, count = 1): Promise<unknown> => seen(visitor, /^< .*"activityIds"/, count);

/** Waits until the page receives news, over a WebSocket or an event stream. */
const isLive = (page: Page): Promise<void> => page.getByText('Reconnecting…').waitFor({ state: 'detached' });

export function gatewayCases(stage: Stage): void {
  const proxies: { stop(): unknown }[] = [];

  afterEach(() => Promise.all(proxies.splice(0).map((proxy) => proxy.stop())));

  /** A visitor who comes through a proxy, and therefore to another address. */
  async function stranger(): Promise<Visitor> {
    const visitor = await stage.visitor();
    visitor.expectsStrangers = true;
    return visitor;
  }

  async function winsAndIsPaid({ page }: Visitor): Promise<void> {
    await grab(page);
    await says(page, 'You got a red packet!');
    await says(page, 'In your wallet');
  }

  it('carries all taps, answers and news', async () => {
    const id = await stage.rain.createActivity({ packetCount: 1 });
    const player = await stage.player(id, 'ways-ann');
    await watches(player);
    await winsAndIsPaid(player);
    await seen(player, /^< .*"event":"wallet.credited"/);
    expect(found(player, /^> .*"op":"grab"/)).toHaveLength(1);
    expect(found(player, /\/grabs|\/me\/events/)).toEqual([]);
    expect((await stage.rain.proof(id)).verdict).toBe('balanced');
  });

  it('carries everything below a base path too, including the links of the console', async () => {
    const id = await stage.rain.createActivity({ name: 'Below', packetCount: 1, totalAmount: '1.00' });
    const { url } = await stage.rain.startAnother('main.js', { BASE_PATH: '/api' });
    const visitor = await stranger();
    await stage.enter(visitor, id, 'ways-pat', `${url}/api`);
    await watches(visitor);
    await winsAndIsPaid(visitor);
    await visitor.page.getByRole('button', { name: 'Was it fair?' }).click();
    await says(visitor.page, 'Verified: this packet existed before');
    const staff = await stranger();
    await staff.page.goto(`${url}/api/console/activities`);
    await signIn(staff.page, stage.rain.tokenOf('op', 'operator'));
    await staff.page.getByRole('link', { name: 'Below' }).click();
    await says(staff.page, 'The parts add up to what was funded: 1.00 CNY.');
    expect(new URL(staff.page.url()).pathname).toBe(`/api/console/activities/${id}`);
    await staff.page.getByRole('button', { name: 'Menu' }).click();
    await staff.page.getByRole('button', { name: 'Queues' }).click();
    await says(staff.page, 'Hongbao queues');
    expect([...visitor.complaints, ...staff.complaints]).toEqual([]);
  });

  describe('is replaced by requests and an event stream', () => {
    async function playsWithout(visitor: Visitor, id: string): Promise<void> {
      await says(visitor.page, "It's raining red packets.");
      await isLive(visitor.page);
      await winsAndIsPaid(visitor);
      expect(found(visitor, /^POST .*\/grabs/)).toHaveLength(1);
      expect(found(visitor, /^GET .*\/me\/events/)).toHaveLength(1);
      expect(found(visitor, /^[<>]/)).toEqual([]);
      expect((await stage.rain.proof(id)).verdict).toBe('balanced');
    }

    it('behind a proxy that does not support WebSockets', async () => {
      const id = await stage.rain.createActivity({ packetCount: 1 });
      const proxy = await OldProxy.start(stage.rain.url);
      proxies.push(proxy);
      const visitor = await stranger();
      await stage.enter(visitor, id, 'ways-ben', proxy.url);
      await playsWithout(visitor, id);
      expect(visitor.complaints).toEqual([expect.stringContaining('WebSocket')]);
    });

    it('where a WebSocket is neither opened nor refused', async () => {
      const id = await stage.rain.createActivity({ packetCount: 1 });
      const visitor = await stage.visitor();
      let asked = 0;
      await visitor.page.routeWebSocket(GATEWAY, () => {
        asked += 1;
        return new Promise(() => undefined);
      });
      await visitor.page.clock.install();
      await stage.enter(visitor, id, 'ways-cat');
      await says(visitor.page, "It's raining red packets.");
      await waitFor(() => asked === 1, { what: 'an attempt to open a WebSocket' });
      await visitor.page.clock.fastForward(OPENING_MS_MAX);
      await playsWithout(visitor, id);
    });

    it('in a browser that forbids the page to open a WebSocket', async () => {
      const id = await stage.rain.createActivity({ packetCount: 1 });
      const visitor = await stage.visitor();
      await forbidWebSockets(visitor.page);
      await stage.enter(visitor, id, 'ways-dan');
      await playsWithout(visitor, id);
      expect(visitor.complaints).toEqual([]);
    });
  });

  it('may be cut off while the answer to a tap is on its way: the page asks again, reconnects and misses no news', async () => {
    const id = await stage.rain.createActivity({ packetCount: 1 });
    const proxy = await TcpProxy.start(Number(new URL(stage.rain.url).port));
    proxies.push(proxy);
    const visitor = await stranger();
    await stage.enter(visitor, id, 'ways-eve', `http://127.0.0.1:${proxy.port}`);
    await says(visitor.page, "It's raining red packets.");
    await watches(visitor);
    proxy.loseReplies(1, 'websocket');
    await winsAndIsPaid(visitor);
    await seen(visitor, /^< .*"event":"wallet.credited"/);
    const [first, second] = found(visitor, /^> .*"op":"watch"/);
    expect(first).not.toContain('lastEventId');
    expect(second).toMatch(/"lastEventId":"\d+"/);
    expect((await stage.rain.proof(id)).verdict).toBe('balanced');
  });

  it('is bypassed by all taps after one that it does not answer, even once it is back', async () => {
    const id = await stage.rain.createActivity({ packetCount: 1 });
    const visitor = await stage.visitor();
    const { page } = visitor;
    let [taps, watched] = [0, 0];
    await page.routeWebSocket(GATEWAY, (socket) => {
      const server = socket.connectToServer();
      socket.onMessage((frame) => {
        if (String(frame).includes('"grab"')) taps += 1;
        else server.send(frame);
      });
      server.onMessage((frame) => {
        if (String(frame).includes('"activityIds"')) watched += 1;
        socket.send(frame);
      });
    });
    let [refused, passed] = [0, 0];
    await page.route('**/grabs', (route) => {
      if (watched < 2) {
        refused += 1;
        return route.fulfill({ status: 503 });
      }
      passed += 1;
      return route.continue();
    });
    await page.clock.install();
    await stage.enter(visitor, id, 'ways-fay');
    await says(page, "It's raining red packets.");
    await waitFor(() => watched === 1, { what: 'the answer to watch' });
    await grab(page);
    await waitFor(() => taps === 1, { what: 'the tap' });
    await page.clock.fastForward(ANSWER_MS_MAX);
    await waitFor(() => refused > 0 && watched === 2, { what: 'a request and another connection' });
    await page.clock.fastForward(WAIT_MS_MAX);
    await says(page, 'You got a red packet!');
    expect({ taps, passed }).toEqual({ taps: 1, passed: 1 });
  });

  it('notifies the page when its token expires, and the page asks for another', async () => {
    const id = await stage.rain.createActivity({ packetCount: 1 });
    const visitor = await stage.visitor();
    const claims = { sub: 'ways-gus', role: 'user' } as const;
    const give = (token: string) => postFromApp(visitor.page, { type: 'hongbao.token', token });
    const isAsked = () => says(visitor.page, 'Open this page in your app');
    await visitor.page.goto(`${stage.rain.url}/rain/${id}`);
    await isAsked();
    await give(signToken({ secret: JWT_SECRET }, claims, TOKEN_SECONDS / 3600));
    await watches(visitor);
    await says(visitor.page, "It's raining red packets.");
    await isAsked();
    expect(found(visitor, /\/me\/events/)).toEqual([]);
    await give(stage.rain.tokenOf('ways-gus'));
    await watches(visitor, 2);
    await says(visitor.page, "It's raining red packets.");
  });
}
