import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocket, WebSocketServer } from 'ws';
import { ApiClient, Line } from '../../libs/client';
import { Player, type View } from '../../src/web/rain/player';
import { waitFor } from '../harness/engines';

const ACTIVITY = {
  id: '1',
  phase: 'sold-out',
  currency: 'CNY',
  opensAt: '2026-01-01T00:00:00Z',
  closesAt: '2099-01-01T00:00:00Z',
};
const PACKET = { activityId: '1', redPacketId: '10000001', amount: '7.10' };
const CHANNELS = [
  { id: '1', paused: false },
  { id: '2', paused: false, currency: 'COINS' },
];
const NEWS = { messageId: 'm1', userId: 'ann', currency: 'CNY', at: '2031-01-01T00:00:00.000Z' };

/** An API that answers a page, but says whether there is a packet only when the test lets it. */
class SlowApi {
  readonly asked: ServerResponse[] = [];
  /** If true, questions for packets wait for the test; otherwise the answer is that there are none. */
  isAsked = true;
  phase = ACTIVITY.phase;
  currency = ACTIVITY.currency;
  clockLooks = 0;
  /** Answers to taps, in order. */
  readonly answers: object[] = [];
  /** The keys of withdrawals. The first one is answered that the token has expired. */
  readonly keys: unknown[] = [];
  private readonly server: Server = createServer(({ url, method, headers }, response) => {
    response.setHeader('content-type', 'application/json');
    if (url!.startsWith('/v1/me/packets') && this.isAsked) this.asked.push(response);
    else if (url!.startsWith('/v1/me/packets')) response.end(JSON.stringify({ items: [], nextCursor: null }));
    else if (url === '/v1/activities/1/grabs') response.end(JSON.stringify(this.answers.shift()));
    else if (url!.startsWith('/v1/clock')) {
      this.clockLooks += 1;
      response.end(JSON.stringify({ now: new Date() }));
    } else if (url === '/v1/me/payouts' && method === 'POST') {
      if (this.keys.push(headers['idempotency-key']) === 1) refuse(response, 401, 'auth.unauthenticated');
      else response.writeHead(201).end(JSON.stringify({ id: '1' }));
    } else if (url!.startsWith('/v1/me/payouts'))
      response.end(JSON.stringify({ items: [], nextCursor: null }));
    else if (method === 'POST') refuse(response, 409, 'waitlist.nothing_to_wait_for');
    else if (url === '/v1/activities/1')
      response.end(JSON.stringify({ ...ACTIVITY, phase: this.phase, currency: this.currency }));
    else if (url === '/v1/payout-channels') response.end(JSON.stringify({ items: CHANNELS }));
    else if (url === '/v1/me/wallet?currency=COINS')
      response.end(JSON.stringify({ balance: '25', pending: '0', currency: 'COINS' }));
    else response.end(JSON.stringify({ balance: '0.00', pending: '0.00', currency: 'CNY' }));
  });

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async nextAsked(): Promise<ServerResponse> {
    await waitFor(() => this.asked.length === 1, { what: 'the question' });
    return this.asked.shift()!;
  }

  async tell(...items: object[]): Promise<void> {
    (await this.nextAsked()).end(JSON.stringify({ items, nextCursor: null }));
  }

  /** Accepts WebSockets, and answers their frames with this function's results; undefined means silence. */
  openGateway(answer: (frame: { op: string }) => object | undefined): WebSocketServer {
    const gateway = new WebSocketServer({ server: this.server, path: '/v1/gateway' });
    gateway.on('connection', (socket) =>
      socket.on('message', (text: Buffer) => {
        const frame = JSON.parse(text.toString()) as { id: string; op: string };
        const body = answer(frame);
        if (body !== undefined) socket.send(JSON.stringify({ id: frame.id, status: 200, body }));
      }),
    );
    return gateway;
  }

  stop(): void {
    this.server.close();
    this.server.closeAllConnections();
  }
}

function refuse(response: ServerResponse, status: number, code: string): void {
  response.statusCode = status;
  response.setHeader('content-type', 'application/problem+json');
  response.end(JSON.stringify({ type: 'about:blank', title: code, status, code, detail: code }));
}

describe('a packet on the page of a player', () => {
  const api = new SlowApi();
  let url: string;
  let player: Player;
  let view: View | undefined;

  beforeAll(async () => {
    url = await api.start();
  });

  const notes = new Map<string, string | undefined>();

  const playerOf = (user: string, token = 'a-token') => {
    const client = new ApiClient(url, token);
    const line = new Line(client, url, token);
    return new Player(client, line, '1', (next) => (view = next), {
      user,
      ticket: undefined,
      keys: {},
      usePassword: () => undefined,
      requestTicket: () => undefined,
      requestToken: () => undefined,
      recall: (name) => notes.get(name),
      remember: (name, text) => void notes.set(name, text),
    });
  };

  beforeEach(() => (player = playerOf('ann')));

  afterEach(() => player.stop());

  afterAll(() => api.stop());

  const stands = (at: string) => waitFor(() => view!.stage.at === at, { what: `the stage “${at}”` });

  it('is withdrawn under one key per user, even after their token has expired', async () => {
    const wish = { amount: '5.00', channelId: '1' };
    const withdraw = async (user: string) => {
      const one = playerOf(user, `token-of-${user}`);
      await one.purse.withdraw(wish);
      one.stop();
    };
    for (const user of ['ann', 'ann', 'ann', 'bob']) await withdraw(user);
    const [first, again, next, other] = api.keys;
    expect(again).toBe(first);
    expect(new Set([first, next, other]).size).toBe(3);
  });

  it('in another currency is shown with the wallet in that currency, and only with channels for that wallet', async () => {
    const channels = async () => {
      await player.purse.open();
      return view!.purse.channels!.map(({ id }) => id);
    };
    expect(await channels()).toEqual(['1']);
    api.currency = 'COINS';
    api.isAsked = false;
    await player.refresh();
    expect(view!.wallet).toMatchObject({ balance: '25', currency: 'COINS' });
    expect(await channels()).toEqual(['2']);
    api.currency = ACTIVITY.currency;
    api.isAsked = true;
  });

  it('stays, even if an earlier request of the page is answered without a packet', async () => {
    const refreshed = player.refresh();
    const question = await api.nextAsked();
    player.onEvent({ event: 'waitlist.assigned', data: { ...PACKET, ...NEWS } });
    question.end(JSON.stringify({ items: [], nextCursor: null }));
    await refreshed;
    expect(view!.stage).toMatchObject({ at: 'won', win: { amount: '7.10', redPacketId: '10000001' } });
  });

  it('counts as old if the first request for packets failed', async () => {
    void player.refresh();
    refuse(await api.nextAsked(), 403, 'auth.forbidden');
    await stands('refused');
    const refreshed = player.refresh();
    await api.tell(PACKET);
    await refreshed;
    expect(view!.stage).toMatchObject({ at: 'won', win: { isOld: true } });
  });

  it('counts as new if it is found while the player joins the waiting list again', async () => {
    void player.refresh();
    await api.tell();
    await stands('sold-out');
    void player.joinWaitingList();
    await api.tell(PACKET);
    await stands('won');
    expect(view!.stage).toMatchObject({ at: 'won', win: { isOld: false } });
  });

  it('can be tapped for without asking for the time once the rain is open', async () => {
    api.phase = 'open';
    api.clockLooks = 0;
    void player.refresh();
    await api.tell();
    await stands('open');
    expect(api.clockLooks).toBe(0);
  });

  it('is tapped for again by the page, after a countdown to the instant that "not yet" names', async () => {
    api.phase = 'open';
    const notYet = (ms: number) => ({
      code: '-1',
      reason: 'not-yet',
      nextAt: new Date(Date.now() + ms).toISOString(),
    });
    const late = notYet(3_600_000);
    api.answers.push(late, notYet(60), { code: '0', ...PACKET });
    void player.refresh();
    await api.tell();
    await stands('open');
    void player.grab();
    await stands('not-yet');
    const refreshed = player.refresh();
    await api.tell();
    await refreshed;
    expect(view!.stage).toEqual({ at: 'not-yet', nextAtMs: Date.parse(late.nextAt) });
    void player.grab();
    await stands('won');
    expect(view!.stage).toMatchObject({ win: { amount: '7.10', isOld: false } });
  });

  describe('over a WebSocket', () => {
    const before = globalThis.WebSocket;
    let gateway: WebSocketServer;

    beforeAll(() => Object.assign(globalThis, { WebSocket }));
    afterAll(() => Object.assign(globalThis, { WebSocket: before }));

    afterEach(() => {
      player.stop();
      for (const socket of gateway.clients) socket.terminate();
      gateway.close();
    });

    const listensTo = async (answer: (frame: { op: string }) => object | undefined): Promise<void> => {
      view = undefined;
      gateway = api.openGateway((frame) => (frame.op === 'watch' ? { eventId: '1' } : answer(frame)));
      [api.phase, api.isAsked] = ['open', false];
      player.start();
      await waitFor(() => view?.stage.at === 'open' && view.isLive, { what: 'the open rain, live' });
    };

    it('that has died silently is replaced by a request after a second, and the packet counts as new', async () => {
      await listensTo(() => undefined);
      api.answers.push({ code: '1', ...PACKET });
      const tappedAt = performance.now();
      void player.grab();
      await stands('won');
      expect(performance.now() - tappedAt).toBeLessThan(2_000);
      expect(view!.stage).toMatchObject({ win: { amount: '7.10', isOld: false } });
    });

    it('that answers later than a request is replaced by a request once, and used again afterwards', async () => {
      const frames: string[] = [];
      let answerLate: () => void;
      await listensTo(({ op }) => {
        if (op !== 'grab') return {};
        frames.push(op);
        if (frames.length > 1) return { code: '0', ...PACKET };
        const [socket] = gateway.clients;
        const body = { code: '-1', reason: 'not-yet', nextAt: new Date().toISOString() };
        answerLate = () => socket!.send(JSON.stringify({ id: '2', status: 200, body }));
        return undefined;
      });
      api.answers.push({ code: '2' });
      void player.grab();
      await waitFor(() => api.answers.length === 0, { what: 'the tap by request' });
      answerLate!();
      await stands('won');
      expect(frames).toHaveLength(2);
    });

    it('that has died while the page was hidden is given up when the page is visible again', async () => {
      await listensTo(() => undefined);
      const [socket] = gateway.clients;
      player.onFront();
      await waitFor(() => socket!.readyState === WebSocket.CLOSED, { what: 'the end of the connection' });
      expect(view!.isLive).toBe(false);
    });

    it('that is alive is kept when the page is visible again', async () => {
      const pings: string[] = [];
      await listensTo(({ op }) => (pings.push(op), {}));
      player.onFront();
      await waitFor(() => pings.length === 1, { what: 'the ping' });
      expect([...gateway.clients].map(({ readyState }) => readyState)).toEqual([WebSocket.OPEN]);
    });
  });
});
