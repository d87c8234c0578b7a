import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { signToken } from '../../src/platform/http/auth/sign-token';
import { waitFor } from '../harness/engines';
import { type GatewayAnswer, GatewayClient, Refused } from '../harness/gateway-client';
import { JWT_SECRET } from '../harness/installation';
import { rain } from '../harness/shared-installation';
import { connectAs, player } from './players';
import { ids, LIMIT } from './taps';

const UNANSWERED_MAX = 16;

const endingIn = (seconds: number, sub: string) =>
  signToken({ secret: JWT_SECRET }, { sub, role: 'user' }, seconds / 3600);

const withoutChance = (body: object): object =>
  JSON.parse(
    JSON.stringify(body, (key, value: unknown) =>
      ['requestId', 'redPacketId', 'amount'].includes(key) ? 'some' : value,
    ),
  ) as object;

describe('a grab over the gateway gets the same answer as a grab over HTTP:', () => {
  const CASES: Record<string, () => string> = {
    'when there is a packet': () => ids.open,
    'when nothing is left': () => ids.empty,
    'before it opens': () => ids.later,
    'after it was closed': () => ids.closed,
    'in an activity that does not exist': () => '999999',
  };

  it.each(Object.entries(CASES))('%s', async (name, idOf) => {
    const user = name.replace(/\W/g, '-');
    const client = await player(`gateway-${user}`);
    const { status, body } = await client.grab(idOf());
    const http = await rain.tap(idOf(), `http-${user}`);
    expect({ status, body: withoutChance(body) }).toEqual({
      status: http.status,
      body: withoutChance(http.body),
    });
  });

  it('a winner gets the same packet over the gateway and over HTTP', async () => {
    const client = await player('ann');
    const won = await client.grab(ids.open);
    expect(won.body.code).toBe('0');
    const again = { ...won.body, code: '1' };
    expect((await client.grab(ids.open)).body).toEqual(again);
    expect((await rain.tap(ids.open, 'ann')).body).toEqual(again);
  });

  it('staff may listen, but cannot win', async () => {
    const client = await connectAs(rain.tokenOf('sue', 'support'));
    const { status, body } = await client.grab(ids.empty);
    const http = await rain.as('support').post(`/v1/activities/${ids.empty}/grabs`);
    expect({ status, body: withoutChance(body) }).toEqual({
      status: http.status,
      body: withoutChance(http.body),
    });
    expect((await client.ask({ op: 'watch' })).status).toBe(200);
  });

  it('a server grabs for its user, who then has the packet', async () => {
    const client = await connectAs(rain.tokenOf('shop', 'server'), { headers: { 'Act-For': 'zoe' } });
    const { body } = await client.grab(ids.open);
    expect(body.code).toBe('0');
    expect((await rain.tap(ids.open, 'zoe')).body).toEqual({ ...body, code: '1' });
  });

  it('a user who sends too many requests is refused over both', async () => {
    let tries = 0;
    // Each user sends only one frame, so that the requests are the reason for the refusal.
    const refusedFrame = async () => {
      const name = `often-${++tries}`;
      const [client, often] = [await player(name), rain.user(name)];
      let frame: Promise<GatewayAnswer> | undefined;
      const tap = async () => {
        const { status } = await often.post(`/v1/activities/${ids.empty}/grabs`);
        if (status === 429) frame ??= client.grab(ids.empty);
      };
      await Promise.all(Array.from({ length: 4 * LIMIT }, tap));
      const answer = await frame;
      await client.close();
      return answer?.status === 429 ? answer : undefined;
    };
    const refused = await waitFor(refusedFrame, { what: 'a refusal because of the requests' });
    expect(refused).toMatchObject({ body: { code: 'rate_limited' }, retryAfter: 1 });
  });
});

describe('a handshake is refused like a request:', () => {
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
  const CASES: Record<string, [Record<string, string>, number, string]> = {
    'without a token': [{}, 401, 'auth.unauthenticated'],
    'with a malformed token': [bearer('x.y.z'), 401, 'auth.unauthenticated'],
    'with an expired token': [bearer(endingIn(-3600, 'ann')), 401, 'auth.unauthenticated'],
    'for somebody else': [{ 'Act-For': 'bob', as: 'user' }, 403, 'auth.forbidden'],
    'of a server that names nobody': [{ as: 'server' }, 400, 'request.invalid'],
    'that says who the user is': [{ 'X-User-Id': 'bob', as: 'user' }, 400, 'request.unknown_field'],
    'from a page of another origin': [{ Origin: 'https://evil.example', as: 'user' }, 403, 'auth.forbidden'],
    'from a page without an origin': [{ Origin: 'null', as: 'user' }, 403, 'auth.forbidden'],
    'of another version': [{ 'Sec-WebSocket-Version': '8', as: 'user' }, 426, 'gateway.upgrade_required'],
    'without a usable key': [{ 'Sec-WebSocket-Key': 'x', as: 'user' }, 400, 'request.malformed'],
    'that offers another protocol': [
      { 'Sec-WebSocket-Protocol': 'chat', as: 'user' },
      400,
      'request.invalid',
    ],
    'that offers a protocol twice': [
      { 'Sec-WebSocket-Protocol': 'hongbao.v1, hongbao.v1', as: 'user' },
      400,
      'request.malformed',
    ],
  };

  it.each(Object.entries(CASES))('%s', async (_, [{ as, ...headers }, status, code]) => {
    const token = as === undefined ? '' : rain.tokenOf(as, as as 'user' | 'server');
    const refused = await handshake({ ...(token !== '' && bearer(token)), ...headers });
    expect(refused).toMatchObject({ status, body: { code } });
  });

  it.each(['null', 'file://'])('over HTTP/1.0 without a Host header, from the origin %s', async (origin) => {
    const headers = { ...bearer(rain.tokenOf('ann')), Origin: origin, Host: '' };
    expect(await handshake(headers, '1.0')).toMatchObject({ status: 403, body: { code: 'auth.forbidden' } });
  });

  it('GET /v1/gateway without an Upgrade header is answered 426, or with the problem that the handshake would have had', async () => {
    const { status, headers, body } = await rain.user('ann').get('/v1/gateway');
    expect([status, headers.get('upgrade'), body.code]).toEqual([
      426,
      'websocket',
      'gateway.upgrade_required',
    ]);
  });

  it.each([
    ['both headers of the upgrade', {}],
    ['Connection alone', { Upgrade: 'websocket', Connection: 'close' }],
    ['Upgrade alone', { Connection: 'upgrade' }],
  ])(
    'a handshake from a page is answered 426 and names what the proxy has to send, if the proxy has removed %s',
    async (_, headers) => {
      const { hostname, port } = new URL(rain.url);
      const passedOn = {
        'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
        'Sec-WebSocket-Version': '13',
        'Sec-WebSocket-Protocol': `hongbao.v1, bearer.${rain.tokenOf('eva')}`,
        ...headers,
      };
      const [answer] = (await once(
        get({ hostname, port, path: '/v1/gateway', headers: passedOn, agent: false }),
        'response',
      )) as [IncomingMessage];
      const { code, detail } = JSON.parse(await text(answer)) as Record<string, string>;
      expect([answer.statusCode, code]).toEqual([426, 'gateway.upgrade_required']);
      expect(detail).toContain('proxy_set_header Upgrade $http_upgrade');
    },
  );

  it('a handshake by a user with five connections, until one of them ends', async () => {
    const held: GatewayClient[] = [];
    for (let i = 0; i < 5; i++) held.push(await player('gil'));
    const refusal = await player('gil').catch((error: Refused) => error);
    expect(refusal).toMatchObject({ status: 429, headers: { 'retry-after': '5' } });
    expect((refusal as Refused).text).toContain('gateway.too_many_connections');
    expect((await rain.user('gil').get('/v1/gateway')).body.code).toBe('gateway.too_many_connections');
    await held[0]!.close();
    await waitFor(() => player('gil').then(Boolean, () => false), { what: 'room for one more' });
  });

  it('a handshake from an address that has reached its limit of connections; a server has a higher limit', async () => {
    const answers: unknown[] = [];
    for (let i = 0; i < 40; i++)
      answers.push(
        await player(`many-${i}`).then(
          () => 101,
          (error: Refused) => error.status,
        ),
      );
    expect(answers.filter((status) => status === 101)).toHaveLength(30);
    expect(new Set(answers.slice(30))).toEqual(new Set([429]));
    await connectAs(rain.tokenOf('shop', 'server'), { headers: { 'Act-For': 'zed' } });
  });

  async function handshake(
    headers: Record<string, string>,
    version = '1.1',
  ): Promise<{ status: number; body: unknown }> {
    const { hostname, port } = new URL(rain.url);
    const socket = connect(Number(port), hostname);
    const sent = {
      Host: `${hostname}:${port}`,
      Connection: 'Upgrade',
      Upgrade: 'websocket',
      'Sec-WebSocket-Version': '13',
      'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
      'Sec-WebSocket-Protocol': 'hongbao.v1',
      ...headers,
    };
    const lines = Object.entries(sent).flatMap(([name, value]) => (value === '' ? [] : `${name}: ${value}`));
    socket.write(`GET /v1/gateway HTTP/${version}\r\n${lines.join('\r\n')}\r\n\r\n`);
    const [head, body] = (await text(socket)).split('\r\n\r\n');
    return { status: Number(head!.split(' ')[1]), body: JSON.parse(body!) };
  }
});

describe('a token', () => {
  it('is read from the subprotocols, the only part of the handshake that a page can set', async () => {
    const client = await connectAs('', { protocols: ['hongbao.v1', `bearer.${rain.tokenOf('pia')}`] });
    expect(client.socket.protocol).toBe('hongbao.v1');
    expect((await client.grab(ids.empty)).body).toEqual({ code: '-1', reason: 'sold-out' });
  });

  it('of 8 KiB is accepted from a request, and from either header of a handshake', async () => {
    const claims = { sub: 'kim', role: 'user' as const, groups: 'g'.repeat(6_200) };
    const token = signToken({ secret: JWT_SECRET }, claims);
    expect(token.length).toBeGreaterThan(8 * 1024);
    const headers = { authorization: `Bearer ${token}` };
    const tap = await fetch(`${rain.url}/v1/activities/${ids.empty}/grabs`, { method: 'POST', headers });
    expect(tap.status).toBe(200);
    for (const client of [
      await connectAs(token),
      await connectAs('', { protocols: ['hongbao.v1', `bearer.${token}`] }),
    ])
      expect((await client.grab(ids.empty)).body).toEqual({ code: '-1', reason: 'sold-out' });
  });

  it.each(['its own origin', 'an origin that may call the API'])(
    'is accepted from a page of %s',
    async (which) => {
      const origin = which === 'its own origin' ? rain.url : 'https://shop.example';
      await connectAs(rain.tokenOf('pia'), { headers: { Origin: origin } });
    },
  );

  it('closes the connection when it expires, even if the client sends nothing', async () => {
    const client = await connectAs(endingIn(2, 'tim'));
    expect((await client.ask({ op: 'ping' })).status).toBe(200);
    expect(await client.closed).toBe(4401);
  });
});

describe('a frame', () => {
  const CASES: Record<string, [string, number, string, string?]> = {
    'that is not JSON': ['{"id":"1"', 400, 'request.malformed'],
    'that is a list': ['[]', 400, 'request.malformed'],
    'that is empty': ['', 400, 'request.malformed'],
    'that is null': ['null', 400, 'request.malformed'],
    'without an id': ['{"op":"ping"}', 400, 'request.invalid', 'id'],
    'whose id is a number': ['{"id":7,"op":"ping"}', 400, 'request.invalid', 'id'],
    'whose id is empty': ['{"id":"","op":"ping"}', 400, 'request.invalid', 'id'],
    'whose id is too long': [`{"id":"${'x'.repeat(65)}","op":"ping"}`, 400, 'request.invalid', 'id'],
    'without an op': ['{"id":"a"}', 400, 'request.invalid', 'op'],
    'with an unknown op': ['{"id":"a","op":"toString"}', 400, 'request.invalid', 'op'],
    'with an extra field': ['{"id":"a","op":"ping","x":1}', 400, 'request.unknown_field', 'x'],
    'with a field named __proto__': [
      '{"id":"a","op":"ping","__proto__":1}',
      400,
      'request.unknown_field',
      '__proto__',
    ],
    'that grabs without an activity': ['{"id":"a","op":"grab"}', 400, 'request.invalid', 'activityId'],
    'that grabs with a number as its id': [
      '{"id":"a","op":"grab","activityId":1}',
      400,
      'request.invalid',
      'activityId',
    ],
    'that grabs with an id that is too large': [
      '{"id":"a","op":"grab","activityId":"9223372036854775808"}',
      400,
      'request.invalid',
      'activityId',
    ],
    'that watches text in place of a list': [
      '{"id":"a","op":"watch","activityIds":"1"}',
      400,
      'request.invalid',
      'activityIds',
    ],
    'that watches too many activities': [
      `{"id":"a","op":"watch","activityIds":["${'1","'.repeat(10)}1"]}`,
      400,
      'request.invalid',
      'activityIds',
    ],
    'that resumes at an invalid event': [
      '{"id":"a","op":"watch","lastEventId":"x"}',
      400,
      'request.invalid',
      'lastEventId',
    ],
  };

  it.each(Object.entries(CASES))(
    '%s is refused, and the next frame is answered',
    async (name, [sent, status, code, field]) => {
      const client = await player(`fay ${name}`.replace(/\W/g, '-'));
      const answer = await client.answerTo(sent);
      expect(answer).toMatchObject({ status, body: { status, code } });
      if (field !== undefined) expect(answer.body.errors).toMatchObject([{ field }]);
      expect(answer.id).toBe(/"id":"a"/.test(sent) ? 'a' : null);
      expect((await client.ask({ op: 'ping' })).status).toBe(200);
    },
  );

  it('closes the connection if it is binary or too long', async () => {
    const [bytes, long] = [await player('bin'), await player('bin')];
    bytes.socket.send(Buffer.from('{"id":"1","op":"ping"}'));
    long.socket.send(JSON.stringify({ id: '1', op: 'ping', x: 'x'.repeat(2048) }));
    expect(await Promise.all([bytes.closed, long.closed])).toEqual([1008, 1009]);
  });

  it('may come in several fragments', async () => {
    const client = await player('par');
    client.socket.send('{"id":"1",', { fin: false });
    expect(await client.answerTo('"op":"ping"}')).toMatchObject({ id: '1', status: 200 });
  });

  it('is refused at once if too many frames wait, or if a waiting frame has the same id', async () => {
    const { pid } = rain.redisEngine;
    const client = await player('wim');
    process.kill(pid, 'SIGSTOP');
    try {
      for (let i = 0; i <= UNANSWERED_MAX; i++)
        client.socket.send(JSON.stringify({ id: String(i), op: 'grab', activityId: ids.empty }));
      client.socket.send(JSON.stringify({ id: '0', op: 'ping' }));
      await waitFor(() => client.answers.length >= 2, { what: 'the refusals' });
      expect(client.answers).toMatchObject([
        { id: String(UNANSWERED_MAX), status: 429, body: { code: 'gateway.too_many_unanswered' } },
        { id: null, status: 400, body: { code: 'request.invalid', errors: [{ field: 'id' }] } },
      ]);
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    await waitFor(() => client.answers.length === UNANSWERED_MAX + 2, { what: 'all answers' });
  });

  it('closes the connection if its client ignores refusals', async () => {
    const client = await player('wil');
    let sent = 0;
    const isOver = () => {
      for (let i = 0; i < 100; i++) client.socket.send(JSON.stringify({ id: `${sent++}`, op: 'ping' }));
      return client.socket.readyState !== client.socket.OPEN;
    };
    await waitFor(isOver, { what: 'the end of the connection' });
    expect(await client.closed).toBe(4429);
  });

  it('is counted as a request, its problem as a problem, and its connection by the reason why it ended', async () => {
    const before = await counted();
    const client = await player('cat');
    await client.ask({ op: 'ping' });
    await client.grab('999999');
    await client.close();
    const changes = async () => (await counted()).map((count, i) => count - before[i]!);
    // Four or more: the handshake, two frames, and the requests for the metrics themselves.
    await waitFor(async () => (await changes())[4] === 1, { what: 'the end of the connection' });
    const [requests, ...rest] = await changes();
    expect(requests).toBeGreaterThanOrEqual(4);
    expect(rest).toEqual([1, 1, 1, 1]);
  });

  async function counted(): Promise<number[]> {
    const figures = await (await fetch(`${rain.url}/metrics`)).text();
    return [
      /^hongbao_http_requests_total (\d+)/m,
      /^hongbao_http_problems_total\{status="404",code="activity.not_found"\} (\d+)/m,
      /^hongbao_gateway_frames_total\{op="ping"\} (\d+)/m,
      /^hongbao_gateway_frames_total\{op="grab"\} (\d+)/m,
      /^hongbao_gateway_closes_total\{code="1005"\} (\d+)/m,
    ].map((line) => Number(line.exec(figures)![1]));
  }
});

describe('news', () => {
  it('are about the money of the user and the watched activities, and resume after the last event that a client has seen', async () => {
    const activityId = await rain.createActivity({ packetCount: 1, totalAmount: '1.00' });
    const client = await player('kim');
    const { body } = await client.ask({ op: 'watch', activityIds: [activityId] });
    expect(body).toEqual({ activityIds: [activityId], eventId: expect.stringMatching(/^\d+$/) });
    const won = await client.grab(activityId);
    // A sweep between the two frames finds the rain open, and announces that first.
    const ofTheWin = () => client.news.map(({ event }) => event).filter((name) => name !== 'activity.opened');
    await waitFor(() => ofTheWin().length >= 3, { what: 'the news of the win' });
    const news = [...client.news];
    expect(ofTheWin().sort()).toEqual(['activity.sold-out', 'packet.confirmed', 'wallet.credited']);
    const credited = news.find(({ event }) => event === 'wallet.credited')!;
    expect(credited.data).toMatchObject({ userId: 'kim', amount: won.body.amount });

    const back = await player('kim');
    await back.ask({ op: 'watch', activityIds: [activityId], lastEventId: body.eventId });
    expect(await back.heard(news.length)).toEqual(news);
    await back.ask({ op: 'watch', lastEventId: '1000000000000000' });
    expect((await back.heard(news.length + 1))[news.length]!.event).toBe('resync');
  });

  it('are no longer sent about an activity that is no longer watched', async () => {
    const [one, other] = [await rain.createActivity(), await rain.createActivity()];
    const client = await player('lou');
    await client.ask({ op: 'watch', activityIds: [one] });
    await client.ask({ op: 'watch', activityIds: [other] });
    const before = client.news.length;
    for (const id of [one, other]) await rain.closeActivity(id);
    const since = () => client.news.slice(before);
    const isClosed = () => since().some(({ event }) => event === 'activity.closed');
    await waitFor(isClosed, { what: 'the end of what is watched' });
    expect(new Set(since().map(({ data }) => data.activityId))).toEqual(new Set([other]));
  });
});

describe('a request to upgrade to a protocol other than that of the gateway', () => {
  const ask = (path: string, token: string, more: string[], body = '') =>
    [
      `POST ${path} HTTP/1.1`,
      ...['Host: test', 'Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABk'],
      ...[`Authorization: Bearer ${token}`, ...more],
      '',
      body,
    ].join('\r\n');

  it('is ignored, and each request on the connection is answered like any other', async () => {
    const { hostname, port } = new URL(rain.url);
    const socket = connect(Number(port), hostname);
    const body = JSON.stringify({ amount: '1.00' });
    const more = ['Content-Type: application/json', `Content-Length: ${body.length}`];
    let heard = '';
    socket.on('data', (bytes) => (heard += String(bytes)));
    for (let i = 1; i <= 15; i++) {
      const key = `Idempotency-Key: upgrade-${i}`;
      socket.write(ask('/v1/wallets/u/deposits', rain.tokenOf('op', 'operator'), [...more, key], body));
      await waitFor(() => heard.split('HTTP/1.1 201').length === i + 1, { what: `answer ${i}: ${heard}` });
    }
    socket.destroy();
  });

  it('closes only its own connection if an earlier request has not been answered yet', async () => {
    const { hostname, port } = new URL(rain.url);
    const socket = connect(Number(port), hostname).on('error', () => undefined);
    const grab = ask(`/v1/activities/${ids.empty}/grabs`, rain.tokenOf('rob'), []);
    socket.write(grab.replace(/Upgrade: h2c\r\n/, '') + grab);
    await text(socket).catch(() => '');
    expect((await rain.user('rob').get('/health/live')).status).toBe(200);
  });
});
