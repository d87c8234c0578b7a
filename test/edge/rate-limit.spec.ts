import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { addressKey, RateLimit } from '../../src/platform/http/rate-limit';
import { bearer, startEdge } from './edge-app';

const LIMIT = 5;
const FAR_MORE = 4 * LIMIT;

/** More than two windows' worth, so that the edge of a second in the middle changes nothing. */
async function hammer(app: NestFastifyApplication, url: string, headers: () => Record<string, string>) {
  const answers = await Promise.all(
    Array.from({ length: FAR_MORE }, () => app.inject({ url, headers: headers() })),
  );
  return answers.filter(({ statusCode }) => statusCode === 429);
}

describe('hammering', () => {
  let app: NestFastifyApplication;
  const start = async (env: NodeJS.ProcessEnv) => (app = await startEdge(env));
  afterEach(() => app.close());

  it('by one user answers 429 with Retry-After, whatever address he uses, and leaves others alone', async () => {
    await start({ RATE_LIMIT_USER_PER_SECOND: String(LIMIT) });
    const refused = await hammer(app, '/sample/me', () => bearer('greedy'));
    expect(refused.length).toBeGreaterThanOrEqual(FAR_MORE - 2 * LIMIT);
    expect(refused[0]!.headers['retry-after']).toBe('1');
    expect(refused[0]!.json()).toMatchObject({ code: 'rate_limited', status: 429 });
    expect((await app.inject({ url: '/sample/me', headers: bearer('other') })).statusCode).toBe(200);
  });

  it('from one address answers 429 before a token is looked at, on routes that do not exist too', async () => {
    await start({ RATE_LIMIT_ADDRESS_PER_SECOND: String(LIMIT) });
    expect((await hammer(app, '/sample/me', () => ({}))).length).toBeGreaterThan(0);
    expect((await hammer(app, '/nowhere', () => ({}))).length).toBeGreaterThan(0);
  });

  it('does not blind the probes', async () => {
    await start({ RATE_LIMIT_ADDRESS_PER_SECOND: '1' });
    expect(await hammer(app, '/sample/public', () => ({}))).toEqual([]);
  });

  let client = 0;
  const otherAddress = () => ({ 'x-forwarded-for': `203.0.113.${client++ % 250}` });

  it('is not hidden by X-Forwarded-For from a hop nobody trusts', async () => {
    await start({ RATE_LIMIT_ADDRESS_PER_SECOND: String(LIMIT) });
    expect((await hammer(app, '/nowhere', otherAddress)).length).toBeGreaterThanOrEqual(FAR_MORE - 2 * LIMIT);
  });

  it.each(['127.0.0.0/8', '1'])(
    'is told apart by X-Forwarded-For behind the trusted proxy %s',
    async (trusted) => {
      await start({ RATE_LIMIT_ADDRESS_PER_SECOND: String(LIMIT), TRUSTED_PROXIES: trusted });
      expect(await hammer(app, '/nowhere', otherAddress)).toEqual([]);
    },
  );

  it.each(['127.0.0.0/8', '1'])(
    'is not hidden by what a client wrote before the proxy %s',
    async (trusted) => {
      await start({ RATE_LIMIT_ADDRESS_PER_SECOND: String(LIMIT), TRUSTED_PROXIES: trusted });
      const forged = () => ({ 'x-forwarded-for': `203.0.113.${client++ % 250}, 198.51.100.7` });
      expect((await hammer(app, '/nowhere', forged)).length).toBeGreaterThanOrEqual(FAR_MORE - 2 * LIMIT);
    },
  );
});

describe('a rate limit', () => {
  it('admits its number each second, for each key', () => {
    const limit = new RateLimit(2);
    const admitted = (key: string, nowMs: number) => limit.admits(key, nowMs);
    expect([admitted('a', 1000), admitted('a', 1500), admitted('a', 1999), admitted('b', 1999)]).toEqual([
      true,
      true,
      false,
      true,
    ]);
    expect(admitted('a', 2000)).toBe(true);
  });
});

describe('one client', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:db8:1:2::1', '2001:db8:1:2'],
    ['2001:db8::1', '2001:db8'],
    ['::1', ''],
  ])('behind %s is counted as %j', (address, key) => {
    expect(addressKey(address)).toBe(key);
  });
});
