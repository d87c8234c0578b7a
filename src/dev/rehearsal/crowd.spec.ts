import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { type AnswerKind, kindOf } from './answers';
import { Crowd } from './crowd';
import { Second } from './breakage';
import { Latencies } from './latencies';

it.each<[number, string, AnswerKind]>([
  [200, '{"code":"0"}', 'won'],
  [200, '{"code":"1"}', 'already'],
  [202, '{"code":"2"}', 'reserved'],
  [200, '{"code":"-1","reason":"sold-out"}', 'soldOut'],
  [200, '{"code":"-1","reason":"not-yet"}', 'notYet'],
  [200, '{"code":"-1","reason":"not-open"}', 'notOpen'],
  [200, '{"code":"-1","reason":"closed"}', 'notOpen'],
  [200, '{"code":"-1","reason":"limit"}', 'limit'],
  [429, '{"code":"rate_limited"}', 'rateLimited'],
  [503, '<html>a proxy</html>', 'unavailable'],
  [404, '{"code":"activity.not_found"}', 'refused'],
  [200, '<html>a login</html>', 'refused'],
  [200, 'null', 'refused'],
])('an answer %i with the body %s counts as %s', (status, body, kind) => {
  expect(kindOf(status, body)).toBe(kind);
});

it('quantiles of answers are right within 3 %, from a hundredth of a millisecond to an hour', () => {
  const latencies = new Latencies();
  expect(latencies.quantileMs(0.99)).toBe(0);
  for (let ms = 1; ms <= 1_000; ms++) latencies.record(ms);
  expect(latencies.quantileMs(0.5) / 500).toBeCloseTo(1, 1);
  expect(Math.abs(latencies.quantileMs(0.99) / 990 - 1)).toBeLessThan(0.03);
  const extremes = new Latencies();
  extremes.record(0);
  extremes.record(3_600_000_000);
  expect(extremes.quantileMs(0.5)).toBe(0.01);
  expect(extremes.quantileMs(1)).toBeGreaterThan(600_000);
});

it.each<[string, readonly (readonly [AnswerKind, number, number])[], string | undefined]>([
  ['nothing', [['soldOut', 5_000, 20]], undefined],
  [
    'one in a thousand',
    [
      ['soldOut', 4_995, 20],
      ['unavailable', 5, 1],
    ],
    undefined,
  ],
  [
    'more',
    [
      ['soldOut', 4_994, 20],
      ['unavailable', 6, 1],
    ],
    'unavailable',
  ],
  [
    'limits',
    [
      ['won', 10, 20],
      ['rateLimited', 1, 1],
    ],
    'rate-limited',
  ],
  [
    'silence, which explains the rest',
    [
      ['unanswered', 10, 10_000],
      ['unavailable', 10, 1],
    ],
    'unanswered',
  ],
  ['slow answers', [['soldOut', 100, 1_100]], 'slow'],
])('a second broke by %s', (_, taps, breakage) => {
  const second = new Second();
  for (const [kind, count, ms] of taps) for (let i = 0; i < count; i++) second.record(kind, ms);
  expect(second.breakage).toBe(breakage);
});

describe('a crowd', () => {
  const TAPS = { tapsPerSecond: 200, seconds: 2, activityId: '7', tokens: ['ann', 'ben', 'cid'] };

  async function crowdBefore(answer: RequestListener, tokens = TAPS.tokens): Promise<Crowd> {
    const server = createServer(answer).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const crowd = new Crowd({
      ...TAPS,
      tokens,
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    });
    await crowd.tap(() => undefined);
    server.close();
    return crowd;
  }

  it('taps as often as was asked for, each in turn, and counts every answer once', async () => {
    const taps = new Map<string, number>();
    const crowd = await crowdBefore(({ method, url, headers }, response) => {
      const who = `${method} ${url} ${headers.authorization}`;
      taps.set(who, (taps.get(who) ?? 0) + 1);
      response.end(JSON.stringify({ code: '-1', reason: 'sold-out' }));
    });
    const path = 'POST /v1/activities/7/grabs Bearer';
    expect(Object.fromEntries(taps)).toEqual({
      [`${path} ann`]: 134,
      [`${path} ben`]: 133,
      [`${path} cid`]: 133,
    });
    expect([crowd.taps, crowd.dropped, crowd.answers.soldOut]).toEqual([400, 0, 400]);
    // A busy machine may be slow; nothing else breaks.
    expect([undefined, 'slow']).toContain(crowd.brokeFirst);
  });

  it('says what broke first, not what broke most', async () => {
    const tokens = Array.from({ length: 400 }, (_, no) => String(no));
    const crowd = await crowdBefore(({ headers }, response) => {
      const no = Number(headers.authorization!.replace('Bearer ', ''));
      if (no < 200) response.writeHead(no % 10 === 0 ? 429 : 200).end('{"code":"1"}');
      else response.writeHead(503).end();
    }, tokens);
    expect(crowd.answers).toMatchObject({ rateLimited: 20, unavailable: 200, already: 180 });
    expect(crowd.brokeFirst).toBe('rate-limited');
  });

  it('counts taps without an answer', async () => {
    const crowd = await crowdBefore(({ socket }) => socket.destroy());
    expect([crowd.taps, crowd.answers.unanswered, crowd.brokeFirst]).toEqual([400, 400, 'unanswered']);
  });
});
