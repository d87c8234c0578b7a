import { connect } from 'node:net';
import { signToken } from '../../src/platform/http/auth/sign-token';
import { JWT_SECRET } from '../harness/installation';
import { rain } from '../harness/shared-installation';
import { TcpProxy } from '../harness/tcp-proxy';
import { ids, LIMIT } from './taps';

interface Tap {
  readonly id: string;
  readonly headers?: readonly string[];
  readonly body?: string;
  readonly version?: string;
}

/** Makes the tap of a user. Each of the two paths has its own user. */
type Case = (user: string) => Tap;

/** Returns the bytes of an answer, without the parts that have to differ. */
async function answerTo(
  { id, headers = [], body = '', version = '1.1' }: Tap,
  query = '',
  url = rain.url,
): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const head = [
    `POST /v1/activities/${id}/grabs${query} HTTP/${version}`,
    ...['Host: test', 'Connection: close', 'X-Request-Id: the-same', ...headers],
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  let bytes = '';
  for await (const chunk of socket) bytes += String(chunk);
  return bytes;
}

const withoutChance = (bytes: string): string =>
  bytes
    .replace(/^Date: .*$/m, 'Date')
    .replace(/^ratelimit-remaining: \d+\r$/m, 'ratelimit-remaining: some')
    .replace(/"redPacketId":"\d+"/, '"redPacketId":"some"')
    .replace(/"amount":"[\d.]+"/, '"amount":"some"')
    .replace(/^content-length: \d+\r$/m, (line) =>
      bytes.includes('"amount"') ? 'content-length: some' : line,
    );

const bearer = (user: string) => `Authorization: Bearer ${rain.tokenOf(user)}`;
const asStaff = (role: 'operator' | 'server' | 'support', sub: string = role) =>
  `Authorization: Bearer ${rain.tokenOf(sub, role)}`;
const expired = () => signToken({ secret: JWT_SECRET }, { sub: 'ann', role: 'user' }, -1);

const plain =
  (id: () => string, ...headers: string[]): Case =>
  (user) => ({ id: id(), headers: [bearer(user), ...headers] });

const CASES: Record<string, Case> = {
  'of a user who wins': plain(() => ids.open),
  'when nothing is left': plain(() => ids.empty),
  'before it opens': plain(() => ids.later),
  'after it was closed': plain(() => ids.closed),
  'in an activity that does not exist': plain(() => '999999'),
  'with the id 0': plain(() => '0'),
  'with an id that begins with 0': plain(() => `0${ids.open}`),
  'with an id that is too large': plain(() => '9223372036854775808'),
  'with an invalid id': plain(() => 'abc'),
  'with an id whose digits are escaped': plain(() => `%3${ids.empty}`),
  'with content type JSON': plain(() => ids.empty, 'Content-Type: application/json'),
  'with content type JSON and a charset': plain(
    () => ids.empty,
    'Content-Type: application/json; charset=utf-8',
  ),
  'with an unsupported content type': plain(() => ids.empty, 'Content-Type: text/xml'),
  'with a malformed content type': plain(() => ids.empty, 'Content-Type: nonsense', 'Content-Length: 0'),
  'of a client that sends forms': plain(
    () => ids.open,
    'Content-Type: application/x-www-form-urlencoded',
    'Content-Length: 0',
  ),
  'with a form': (user) => ({
    id: ids.empty,
    headers: [bearer(user), 'Content-Type: application/x-www-form-urlencoded'],
    body: 'a=b',
  }),
  'with the length 0': plain(() => ids.empty, 'Content-Length: 0'),
  'that says who the user is': plain(() => ids.empty, 'X-User-Id: bob'),
  'for somebody else': plain(() => ids.empty, 'Act-For: bob'),
  'with a traceparent': plain(() => ids.empty, 'traceparent: 00-1-1-00'),
  'from a page': plain(() => ids.empty, 'Origin: https://shop.example'),
  'with forwarded addresses': plain(() => ids.empty, 'X-Forwarded-For: 1.2.3.4'),
  'that expects 100': plain(() => ids.empty, 'Expect: 100-continue'),
  'that asks for a WebSocket': plain(() => ids.empty, 'Upgrade: websocket'),
  'over HTTP/1.0': (user) => ({ id: ids.empty, headers: [bearer(user)], version: '1.0' }),
  'with a body': (user) => ({
    id: ids.empty,
    headers: [bearer(user), 'Content-Type: application/json', 'Content-Length: 11'],
    body: '{"a":"bcd"}',
  }),
  'with a body in pieces': (user) => ({
    id: ids.empty,
    headers: [bearer(user), 'Content-Type: application/json'],
    body: '2\r\n{}\r\n0\r\n\r\n',
  }),
  'with an empty body in pieces': (user) => ({
    id: ids.empty,
    headers: [bearer(user), 'Transfer-Encoding: chunked'],
    body: '0\r\n\r\n',
  }),
  'without a token': () => ({ id: ids.empty }),
  'with a malformed token': () => ({ id: ids.empty, headers: ['Authorization: Bearer x.y.z'] }),
  'with other credentials': () => ({ id: ids.empty, headers: ['Authorization: Basic YTpi'] }),
  'with two tokens': (user) => ({ id: ids.empty, headers: [bearer(user), bearer('other')] }),
  'with a token that has expired': () => ({ id: ids.empty, headers: [`Authorization: Bearer ${expired()}`] }),
  'of an operator': () => ({ id: ids.empty, headers: [asStaff('operator')] }),
  'of support': () => ({ id: ids.empty, headers: [asStaff('support')] }),
  'of a server that names nobody': () => ({ id: ids.empty, headers: [asStaff('server')] }),
  'of a server for a user': (user) => ({ id: ids.empty, headers: [asStaff('server'), `Act-For: ${user}`] }),
  'of a server for an invalid user': () => ({ id: ids.empty, headers: [asStaff('server'), 'Act-For: a b'] }),
};

describe('a tap from a page of another origin gets the same answer from the fast lane as from Fastify:', () => {
  let url: string;

  beforeAll(async () => {
    ({ url } = await rain.startAnother('main.js', {
      CORS_ORIGINS: 'https://shop.example,http://localhost:5173',
    }));
  });

  const ORIGINS: Record<string, string[]> = {
    'from one that may': ['Origin: http://localhost:5173'],
    'from one that may not': ['Origin: https://evil.example'],
    'from one that hides itself': ['Origin: null'],
    'from two at once': ['Origin: https://shop.example', 'Origin: http://localhost:5173'],
    'from none': [],
  };

  it.each(Object.entries(ORIGINS))('%s', async (name, origin) => {
    const answers = async (query: string) => {
      const user = `${query ? 'slow' : 'fast'} ${name}`.replace(/\W/g, '-');
      const won = await answerTo({ id: ids.open, headers: [bearer(user), ...origin] }, query, url);
      const refused = await answerTo({ id: ids.empty, headers: origin }, query, url);
      return [won, refused].map(withoutChance);
    };
    const fast = await answers('');
    expect(fast[0]).toContain('"code":"0"');
    expect(fast).toEqual(await answers('?'));
    expect(fast.join('').includes('access-control-allow-origin')).toBe(name === 'from one that may');
  });
});

describe('a tap gets the same bytes from the fast lane as from Fastify and Nest:', () => {
  it.each(Object.entries(CASES))('%s', async (name, tap) => {
    const fast = await answerTo(tap(`fast ${name}`.replace(/\W/g, '-')));
    const slow = await answerTo(tap(`slow ${name}`.replace(/\W/g, '-')), '?');
    expect(fast).toMatch(/^HTTP\/1\.1 \d{3} /);
    expect(withoutChance(fast)).toBe(withoutChance(slow));
  });

  it('a second tap by a user who has won', async () => {
    const won = await answerTo({ id: ids.open, headers: [bearer('again')] });
    expect(won).toContain('"code":"0"');
    const answers = [];
    for (const query of ['', '?'])
      answers.push(await answerTo({ id: ids.open, headers: [bearer('again')] }, query));
    expect(answers[0]).toContain('"code":"1"');
    expect(answers[0]!.split('\r\n\r\n')[1]).toBe(answers[1]!.split('\r\n\r\n')[1]);
  });

  it('a tap by a user who taps too often, counted on both paths together', async () => {
    const answers = [];
    for (let i = 0; i < 2 * LIMIT; i++)
      answers.push(await answerTo({ id: ids.empty, headers: [bearer('often')] }, i % 2 ? '' : '?'));
    const refused = answers.filter((answer) => answer.startsWith('HTTP/1.1 429'));
    expect(refused.length).toBeGreaterThan(0);
    expect(new Set(refused.map(withoutChance)).size).toBe(1);
  });

  it('a tap while Redis is down', async () => {
    const { proxy, url: REDIS_URL } = await TcpProxy.before(rain.redisEngine.url);
    const { program, url } = await rain.startAnother('main.js', { REDIS_URL });
    await proxy.stop();
    const fast = await answerTo({ id: ids.empty, headers: [bearer('ann')] }, '', url);
    const slow = await answerTo({ id: ids.empty, headers: [bearer('bob')] }, '?', url);
    await program.stop();
    expect(fast).toMatch(/^HTTP\/1\.1 503 /);
    expect(withoutChance(fast)).toBe(withoutChance(slow));
  });
});

it('the fast lane counts requests and problems as Fastify does', async () => {
  const counted = async () => {
    const metrics = await (await fetch(`${rain.url}/metrics`)).text();
    const of = (line: RegExp) => Number(line.exec(metrics)?.[1] ?? 0);
    return [
      of(/^hongbao_http_requests_total (\d+)/m),
      of(/^hongbao_http_problems_total\{.*auth\.unauthenticated.*\} (\d+)/m),
    ] as const;
  };
  const before = await counted();
  for (const query of ['', '?']) await answerTo({ id: ids.empty }, query);
  const after = await counted();
  expect([after[0] - before[0], after[1] - before[1]]).toEqual([3, 2]);
});
