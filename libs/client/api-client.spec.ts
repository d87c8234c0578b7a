import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { ApiClient, ApiProblem, type Schema, Unreachable, UnexpectedAnswer } from '.';

interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

interface Scripted {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

const json = (status: number, body: object): Scripted => ({
  status,
  headers: { 'content-type': 'application/json; charset=utf-8' },
  body: JSON.stringify(body),
});

const problem = (code: string, status: number, more: Record<string, string> = {}): Scripted => ({
  status,
  headers: { 'content-type': 'application/problem+json', ...more },
  body: JSON.stringify({
    type: `/docs/errors#${code}`,
    title: 'A title',
    status,
    detail: 'What happened.',
    code,
    requestId: 'request-1',
    errors: [{ field: 'amount', message: 'must be an amount' }],
  }),
});

const AWAY = problem('unavailable', 503, { 'retry-after': '0' });

describe('the client of the API', () => {
  let server: Server;
  let url: string;
  let client: ApiClient;
  let received: Received[];
  let answers: Scripted[];

  beforeEach(async () => {
    [received, answers] = [[], []];
    server = createServer((request, response) => {
      void text(request).then((body) => {
        received.push({ method: request.method!, url: request.url!, headers: request.headers, body });
        const { status, headers, body: answer } = answers.shift() ?? json(200, {});
        response.writeHead(status, headers).end(answer);
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    url = `http://127.0.0.1:${port}/`;
    client = new ApiClient(url, 'the-token');
  });

  afterEach(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });

  const show = () => client.readActivity('1');
  const deposit = (key?: string) => client.depositMoney('u1', { amount: '1.00' }, { key });

  const refusal = async (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => 'nothing was thrown',
      (error: unknown) => error,
    );

  it('the client fills in the path, the query and the body, and sends its token', async () => {
    answers = [json(200, { items: [], nextCursor: null }), json(201, { transferId: '7' })];
    const { items } = await client.listWalletEntries('a/b?c', {
      limit: 5,
      kind: 'credit',
      cursor: undefined,
    });
    expect([items, await deposit()]).toEqual([[], { status: 201, body: { transferId: '7' } }]);
    const [read, written] = received;
    expect(read).toMatchObject({
      method: 'GET',
      url: '/v1/wallets/a%2Fb%3Fc/entries?limit=5&kind=credit',
      headers: { authorization: 'Bearer the-token' },
      body: '',
    });
    expect(written).toMatchObject({
      method: 'POST',
      url: '/v1/wallets/u1/deposits',
      headers: { 'content-type': 'application/json' },
      body: '{"amount":"1.00"}',
    });
  });

  it('the status of an answer shows whether the request is done or waits for a second person', async () => {
    answers = [json(201, { transferId: '7', balance: '1.00' }), json(202, { id: '9', status: 'pending' })];
    const said = async () => {
      const deposit = await client.depositMoney('u1', { amount: '1.00' });
      return deposit.status === 202 ? `waits as ${deposit.body.id}` : `has ${deposit.body.balance}`;
    };
    expect([await said(), await said()]).toEqual(['has 1.00', 'waits as 9']);
  });

  it('a server acts for the user of its client, or of the call, and sends the ticket of a call', async () => {
    const server = new ApiClient(url, 'the-token', { actFor: 'ann' });
    await server.grabPacket('1');
    await server.grabPacket('1', { actFor: 'bob', ticket: 'the-ticket' });
    await client.grabPacket('1');
    expect(received.map(({ headers }) => [headers['act-for'], headers.ticket])).toEqual([
      ['ann', undefined],
      ['bob', 'the-ticket'],
      [undefined, undefined],
    ]);
  });

  it('a client without a token sends no header for one', async () => {
    await new ApiClient(url, undefined).readFairness('1');
    await new ApiClient(url, () => 'renewed').readFairness('1');
    expect(received.map(({ headers }) => headers.authorization)).toEqual([undefined, 'Bearer renewed']);
  });

  it('a client sends its keys to an activity with each request, with the password percent-encoded, unless a call brings others', async () => {
    const guest = new ApiClient(url, 'the-token', { shareCode: 'a-code', password: '恭喜 🧧' });
    await guest.readActivity('1');
    await guest.readActivity('1', { password: 'other' });
    await client.readActivity('1');
    expect(received.map(({ headers }) => [headers['share-code'], headers['packet-password']])).toEqual([
      ['a-code', '%E6%81%AD%E5%96%9C%20%F0%9F%A7%A7'],
      ['a-code', 'other'],
      [undefined, undefined],
    ]);
  });

  it('a file and a query go together, and an answer that is not JSON is a stream of an accepted type', async () => {
    answers = [
      json(200, { lines: 1 }),
      { status: 200, headers: { 'content-type': 'text/csv' }, body: 'a,b' },
    ];
    const file = new Blob(['payoutId'], { type: 'text/csv' });
    await client.comparePayoutStatement('3', { day: '2031-01-01' }, file);
    const bytes = await client.exportClaims('1', { format: 'csv' });
    expect(await new Response(bytes).text()).toBe('a,b');
    expect(received).toMatchObject([
      {
        url: '/v1/payout-channels/3/statements?day=2031-01-01',
        headers: { 'content-type': 'text/csv' },
        body: 'payoutId',
      },
      {
        url: '/v1/activities/1/export/claims?format=csv',
        headers: { accept: 'text/csv, application/x-ndjson' },
      },
    ]);
  });

  it('each POST carries an Idempotency-Key, by default a new one, and other requests carry none', async () => {
    for (const key of [undefined, undefined, 'my-own-key']) await deposit(key);
    await show();
    const [first, second, third, read] = received.map(({ headers }) => headers['idempotency-key']);
    expect(first).toMatch(/^[0-9a-f]{32}$/);
    expect(second).toMatch(/^[0-9a-f]{32}$/);
    expect(second).not.toBe(first);
    expect([third, read]).toEqual(['my-own-key', undefined]);
  });

  it('a problem is thrown with its code, status, detail, fields, request id and time to wait', async () => {
    answers = [problem('rate_limited', 429, { 'retry-after': '1' })];
    const thrown = await refusal(deposit());
    expect(thrown).toBeInstanceOf(ApiProblem);
    expect(thrown).toMatchObject({
      code: 'rate_limited',
      status: 429,
      title: 'A title',
      detail: 'What happened.',
      errors: [{ field: 'amount', message: 'must be an amount' }],
      requestId: 'request-1',
      retryAfterSeconds: 1,
      message: '429 rate_limited: What happened.',
    });
  });

  it('an error that is not a problem of the API is thrown as unexpected', async () => {
    answers = [{ status: 502, headers: { 'content-type': 'text/html' }, body: '<h1>Bad Gateway</h1>' }];
    const thrown = await refusal(show());
    expect(thrown).toBeInstanceOf(UnexpectedAnswer);
    expect(thrown).toMatchObject({ status: 502, message: expect.stringContaining('<h1>Bad Gateway</h1>') });
  });

  it.each(['', '.', '..'])('an id %j is refused, because it would lead to another path', async (id) => {
    expect(await refusal(client.replayDeadLetter(id))).toMatchObject({
      message: `id cannot be "${id}" in a path.`,
    });
    expect(received).toEqual([]);
  });

  it('an id that is missing is refused by name', async () => {
    expect(await refusal(client.grabPacket(undefined as never))).toMatchObject({ message: 'id is missing.' });
    expect(received).toEqual([]);
  });

  it('a success that does not come from the API is thrown as unexpected, even for a stream', async () => {
    const page = { status: 200, headers: { 'content-type': 'text/html' }, body: '<h1>Welcome</h1>' };
    answers = [page, page];
    const exported = () => client.exportClaims('1');
    for (const thrown of [await refusal(show()), await refusal(exported())]) {
      expect(thrown).toBeInstanceOf(UnexpectedAnswer);
      expect(thrown).toMatchObject({ status: 200, message: expect.stringContaining('<h1>Welcome</h1>') });
    }
  });

  it('an error names the address that did not answer, and the reason', async () => {
    const nobody = new ApiClient('http://127.0.0.1:1', 'the-token');
    const thrown = await refusal(nobody.listWebhooks());
    expect(thrown).toBeInstanceOf(Unreachable);
    expect(thrown).toMatchObject({
      message: expect.stringMatching(/^http:\/\/127\.0\.0\.1:1 does not answer: \S/),
    });
  });

  it('a caller can abort a request by a signal', async () => {
    const gone = AbortSignal.abort(new Error('Enough.'));
    expect(await refusal(client.listWebhooks({ signal: gone }))).toMatchObject({ message: 'Enough.' });
  });

  it('an answer without a body returns undefined', async () => {
    answers = [{ status: 204 }];
    expect(await client.deleteWebhook('1')).toBeUndefined();
  });

  it('a request is repeated under the same Idempotency-Key while the API is unavailable for a moment', async () => {
    answers = [AWAY, AWAY, json(200, { id: '1' }), AWAY, json(201, { transferId: '7' })];
    expect((await show()).id).toBe('1');
    expect(await deposit()).toEqual({ status: 201, body: { transferId: '7' } });
    expect(received.map(({ method }) => method)).toEqual(['GET', 'GET', 'GET', 'POST', 'POST']);
    const [first, second] = received.slice(3).map(({ headers, body }) => [headers['idempotency-key'], body]);
    expect(second).toEqual(first);
  });

  it('the client gives up after four attempts', async () => {
    answers = Array.from({ length: 9 }, () => AWAY);
    expect(await refusal(show())).toMatchObject({ code: 'unavailable' });
    expect(received).toHaveLength(4);
  });

  it.each<[string, Scripted, () => Promise<unknown>]>([
    ['that is neither a POST nor a GET', AWAY, () => client.deleteWebhook('1')],
    ['whose answer names no time to wait', problem('unavailable', 503), show],
    [
      'whose answer names a wait that is too long',
      problem('unavailable', 503, { 'retry-after': '60' }),
      show,
    ],
    ['that is at fault', problem('request.invalid', 400, { 'retry-after': '0' }), deposit],
    ['that met a fault of the API', problem('internal', 500, { 'retry-after': '0' }), deposit],
  ])('does not repeat a request %s', async (_, answer, send) => {
    answers = [answer];
    expect(await refusal(send())).toBeInstanceOf(ApiProblem);
    expect(received).toHaveLength(1);
  });

  it('the compiler refuses requests that the API would refuse, and knows the types of its answers', () => {
    const refused = (): unknown[] => [
      // @ts-expect-error: there is no such operation
      client.listActivitys(),
      // @ts-expect-error: its path has a parameter
      client.readActivity(),
      // @ts-expect-error: there is no such phase
      client.listActivities({ phase: 'raining' }),
      // @ts-expect-error: money is text
      client.depositMoney('u1', { amount: 1 }),
      // @ts-expect-error: it takes no body
      client.closeActivity('1', {}, {}),
      // @ts-expect-error: staff act for nobody
      client.readOverview({ actFor: 'ann' }),
      // @ts-expect-error: it may wait for a second person
      client.createActivity({} as Schema<'CreateActivityBody'>).then(({ body }) => body.phase),
    ];
    const answered = async (): Promise<string> => {
      const grab: Schema<'GrabDto'> = await client.grabPacket('1');
      return grab.code === '0' ? grab.amount : grab.code;
    };
    expect([refused, answered]).toHaveLength(2);
  });
});
