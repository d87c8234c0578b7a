import { Controller, Get, Logger } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { RedisClient } from '../../libs/redis-scripts';
import { AppConfig } from '../../src/platform/config';
import { Allow, CountsAs, Heavy, InTurn } from '../../src/platform/http';
import { RateLimits } from '../../src/platform/http/rate-limit/rate-limits';
import { SharedCounts } from '../../src/platform/http/rate-limit/shared-counts';
import { type Engine } from '../../src/dev/engines';
import { RedisConnections } from '../../src/platform/redis';
import { startTestRedis, waitFor } from '../harness/engines';
import { bearer, inFuture, SampleController, startEdge, tokenOf } from './edge-app';

const LIMIT = 5;
const FAR_MORE = 4 * LIMIT;

/** Sends more than two windows admit, so that a new second in the middle changes nothing. */
async function hammer(app: NestFastifyApplication, url: string, headers: () => Record<string, string>) {
  const answers = await Promise.all(
    Array.from({ length: FAR_MORE }, () => app.inject({ url, headers: headers() })),
  );
  return answers.filter(({ statusCode }) => statusCode === 429);
}

@Controller('weighty')
class WeightyController {
  @Get('counted')
  @Allow('read')
  @CountsAs(400)
  counted() {
    return {};
  }

  @Get('in-turn')
  @Allow('read')
  @InTurn(400)
  inTurn() {
    return {};
  }

  @Get('heavy')
  @Allow('read')
  @Heavy(400)
  heavy() {
    return {};
  }
}

describe('hammering of the API', () => {
  let app: NestFastifyApplication;
  const start = async (env: NodeJS.ProcessEnv) => (app = await startEdge(env));
  afterEach(() => app.close());

  it('by one user is answered 429 with Retry-After, whatever address they use, and does not affect others', async () => {
    await start({ RATE_LIMIT_USER_PER_SECOND: String(LIMIT) });
    const refused = await hammer(app, '/sample/me', () => bearer('greedy'));
    expect(refused.length).toBeGreaterThanOrEqual(FAR_MORE - 2 * LIMIT);
    expect(refused[0]!.headers['retry-after']).toBe('1');
    expect(refused[0]!.json()).toMatchObject({ code: 'rate_limited', status: 429 });
    expect((await app.inject({ url: '/sample/me', headers: bearer('other') })).statusCode).toBe(200);
  });

  it('from one address is answered 429 before a token is examined, even on routes that do not exist', async () => {
    await start({ RATE_LIMIT_ADDRESS_PER_SECOND: String(LIMIT) });
    expect((await hammer(app, '/sample/me', () => ({}))).length).toBeGreaterThan(0);
    expect((await hammer(app, '/nowhere', () => ({}))).length).toBeGreaterThan(0);
  });

  it('for one user is answered 429 no matter who sends it, and a server can continue for other users', async () => {
    await start({ RATE_LIMIT_USER_PER_SECOND: String(LIMIT) });
    const server = (user: string, shop = 0) => ({ ...bearer(`shop-${shop}`, 'server'), 'act-for': user });
    let shop = 0;
    const refused = await hammer(app, '/sample/me', () => server('greedy', shop++));
    expect(refused.length).toBeGreaterThanOrEqual(FAR_MORE - 2 * LIMIT);
    expect((await app.inject({ url: '/sample/me', headers: server('other') })).statusCode).toBe(200);
  });

  it('from the address of a server does not stop its requests for many users, once its token is known', async () => {
    await start({ RATE_LIMIT_ADDRESS_PER_SECOND: String(LIMIT) });
    const token = bearer('shop', 'server');
    let user = 0;
    const asServer = () => ({ ...token, 'act-for': `u${user++}` });
    expect((await app.inject({ url: '/sample/me', headers: asServer() })).statusCode).toBe(200);
    expect(await hammer(app, '/sample/me', asServer)).toEqual([]);

    const exp = inFuture();
    const forged = `Bearer ${tokenOf({ sub: 'shop', role: 'server', exp }, { secret: 'x'.repeat(40) })}`;
    for (const headers of [{ authorization: forged, 'act-for': 'u1' }, bearer('u1')]) {
      const refused = await hammer(app, '/sample/me', () => headers);
      expect(refused.length).toBeGreaterThanOrEqual(FAR_MORE - 2 * LIMIT);
    }
  });

  it.each(['counted', 'in-turn', 'heavy'])(
    'by one user is answered 429 after as many requests as their weights allow, on a route that is %s',
    async (kind) => {
      const controllers = [SampleController, WeightyController];
      app = await startEdge({ RATE_LIMIT_USER_PER_SECOND: '1000' }, { controllers });
      const ask = async (headers: Record<string, string>) => {
        const { statusCode, headers: told } = await app.inject({ url: `/weighty/${kind}`, headers });
        return [statusCode, told['ratelimit-remaining']];
      };
      expect(await ask(bearer('u1'))).toEqual([200, '600']);
      expect(await ask({ ...bearer('shop', 'server'), 'act-for': 'u2' })).toEqual([200, '600']);
      const answers: unknown[] = [];
      for (let i = 0; i < 6; i++) answers.push((await ask(bearer('u3')))[0]);
      expect(answers.filter((status) => status === 200).length).toBeLessThanOrEqual(4);
      expect(answers[0]).toBe(200);
      expect((await ask(bearer('ops', 'operator')))[0]).toBe(200);
    },
  );

  it('can be foreseen: each answer says how much is left of the closer limit', async () => {
    await start({ RATE_LIMIT_USER_PER_SECOND: '10', RATE_LIMIT_ADDRESS_PER_SECOND: '1000' });
    const limitOf = async (headers: Record<string, string>, url = '/sample/me') => {
      const { headers: told } = await app.inject({ url, headers });
      return ['limit', 'remaining', 'reset'].map((field) => told[`ratelimit-${field}`]);
    };
    expect(await limitOf(bearer('u1'))).toEqual(['10', '9', '1']);
    expect(await limitOf(bearer('u1'))).toEqual(['10', expect.stringMatching(/^[89]$/), '1']);
    expect(await limitOf(bearer('ops', 'operator'))).toEqual(['1000', expect.stringMatching(/^99\d$/), '1']);
    expect(await limitOf({})).toEqual(['1000', expect.stringMatching(/^99\d$/), '1']);
    expect(await limitOf({}, '/sample/public')).toEqual([undefined, undefined, undefined]);
    const [refused] = await hammer(app, '/sample/me', () => bearer('u1'));
    expect(refused!.headers).toMatchObject({ 'ratelimit-remaining': '0', 'retry-after': '1' });
  });

  it.each(['/%zz', `/sample/wallets/${'9'.repeat(400)}`])(
    'is counted even on the path %s, which the router refuses',
    async (path) => {
      await start({ RATE_LIMIT_ADDRESS_PER_SECOND: String(LIMIT), TRUSTED_PROXIES: '1' });
      const refused = await hammer(app, path, () => ({ 'x-forwarded-for': '203.0.113.7' }));
      expect(refused.length).toBeGreaterThanOrEqual(FAR_MORE - 2 * LIMIT);
      expect(refused[0]!.headers['retry-after']).toBe('1');
      const other = await app.inject({ url: path, headers: { 'x-forwarded-for': '203.0.113.8' } });
      expect(other.json()).toMatchObject({ status: 400, code: 'request.malformed' });
      expect(other.headers).toMatchObject({
        'content-type': 'application/problem+json',
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'x-request-id': other.json().requestId,
      });
    },
  );

  it('does not affect the answers of the probes', async () => {
    await start({ RATE_LIMIT_ADDRESS_PER_SECOND: '1' });
    expect(await hammer(app, '/sample/public', () => ({}))).toEqual([]);
  });

  let client = 0;
  const otherAddress = () => ({ 'x-forwarded-for': `203.0.113.${client++ % 250}` });

  it('is not hidden by X-Forwarded-For from an untrusted hop', async () => {
    await start({ RATE_LIMIT_ADDRESS_PER_SECOND: String(LIMIT) });
    expect((await hammer(app, '/nowhere', otherAddress)).length).toBeGreaterThanOrEqual(FAR_MORE - 2 * LIMIT);
  });

  it.each(['127.0.0.0/8', '1'])(
    'is counted by the address in X-Forwarded-For if it comes through the trusted proxy %s',
    async (trusted) => {
      await start({ RATE_LIMIT_ADDRESS_PER_SECOND: String(LIMIT), TRUSTED_PROXIES: trusted });
      expect(await hammer(app, '/nowhere', otherAddress)).toEqual([]);
    },
  );

  it.each(['127.0.0.0/8', '1'])(
    'is not hidden by X-Forwarded-For entries that a client wrote before the proxy %s',
    async (trusted) => {
      await start({ RATE_LIMIT_ADDRESS_PER_SECOND: String(LIMIT), TRUSTED_PROXIES: trusted });
      const forged = () => ({ 'x-forwarded-for': `203.0.113.${client++ % 250}, 198.51.100.7` });
      expect((await hammer(app, '/nowhere', forged)).length).toBeGreaterThanOrEqual(FAR_MORE - 2 * LIMIT);
    },
  );
});

@Controller('slow')
class SlowController {
  static underWay = 0;
  static finish: () => void;
  static fails = false;
  private static done: Promise<void>;

  static begin(): void {
    this.underWay = 0;
    this.fails = false;
    this.done = new Promise((resolve) => (this.finish = resolve));
  }

  @Get('in-turn')
  @Allow('read')
  @InTurn(1)
  list(): Promise<object> {
    return this.work();
  }

  @Get('heavy')
  @Allow('read')
  @Heavy(1)
  heavy(): Promise<object> {
    return this.work();
  }

  private async work(): Promise<object> {
    if (SlowController.fails) throw new Error('It fails.');
    SlowController.underWay++;
    await SlowController.done;
    return {};
  }
}

describe('a user with slow requests', () => {
  let app: NestFastifyApplication;

  beforeAll(async () => {
    app = await startEdge({}, { controllers: [SlowController] });
  });

  beforeEach(() => SlowController.begin());

  afterAll(() => app.close());

  const ask = async (kind: string, headers: Record<string, string>) => {
    const answer = await app.inject({ url: `/slow/${kind}`, headers });
    return [answer.statusCode, answer.json<{ detail?: string }>().detail, answer.headers['retry-after']];
  };
  const answered = [200, undefined, undefined];
  const underWay = (count: number) =>
    waitFor(() => SlowController.underWay === count, { what: `${count} requests under way` });

  it('has one heavy request under way, and is answered 429 for another; other users and staff are not', async () => {
    const answers = [ask('heavy', bearer('ann'))];
    await underWay(1);
    expect(await ask('heavy', bearer('ann'))).toEqual([
      429,
      'Another heavy request from this user is in progress.',
      '1',
    ]);
    for (const headers of [bearer('bob'), bearer('ops', 'operator'), bearer('ops', 'operator')])
      answers.push(ask('heavy', headers));
    await underWay(4);
    SlowController.finish();
    expect(await Promise.all(answers)).toEqual([answered, answered, answered, answered]);
    SlowController.fails = true;
    expect(await ask('heavy', bearer('ann'))).toEqual([500, expect.anything(), undefined]);
    SlowController.fails = false;
    expect(await ask('heavy', bearer('ann'))).toEqual(answered);
  });

  it('waits for their first list, and is answered 429 for a ninth; other users and staff are not held up', async () => {
    const answers = Array.from({ length: 8 }, () => ask('in-turn', bearer('ann')));
    await underWay(1);
    expect(await ask('in-turn', bearer('ann'))).toEqual([
      429,
      'Too many list requests from this user are in progress.',
      '1',
    ]);
    for (let i = 0; i < 9; i++) answers.push(ask('in-turn', bearer('ops', 'operator')));
    answers.push(ask('in-turn', bearer('bob')));
    await underWay(11);
    SlowController.finish();
    expect(await Promise.all(answers)).toEqual(answers.map(() => answered));
    expect(SlowController.underWay).toBe(18);
  });
});

describe('two processes', () => {
  const LIMITS = { RATE_LIMIT_USER_PER_SECOND: 100, RATE_LIMIT_ADDRESS_PER_SECOND: 100 };
  const NOW_MS = 3_600_000;

  let engine: Engine;
  let connections: RedisClient[];

  beforeEach(async () => {
    engine = await startTestRedis();
    Logger.overrideLogger(false);
    const making = new RedisConnections(Object.assign(new AppConfig(), { REDIS_URL: engine.url }));
    connections = [await making.serving(), await making.serving()];
  });

  afterEach(async () => {
    for (const redis of connections) redis.disconnect();
    await engine.stop();
  });

  function startProcess(redis: RedisClient, which: 'user' | 'address') {
    const limits = new RateLimits(Object.assign(new AppConfig(), LIMITS));
    const counts = new SharedCounts(redis, limits);
    return {
      admitted: (requests: number) =>
        Array.from({ length: requests }, () => limits[which].take('greedy', NOW_MS) >= 0).filter(Boolean)
          .length,
      exchange: () => counts.exchange(),
    };
  }

  const startTwo = (which: 'user' | 'address') => connections.map((redis) => startProcess(redis, which));

  it.each(['user', 'address'] as const)('count the requests of one %s together', async (which) => {
    const [first, second] = startTwo(which);
    expect([first!.admitted(30), second!.admitted(20)]).toEqual([30, 20]);
    await first!.exchange();
    await second!.exchange();
    expect(second!.admitted(40)).toBe(40);
    await second!.exchange();
    expect(first!.admitted(10)).toBe(10);
    await first!.exchange();
    expect([first!.admitted(1), second!.admitted(100)]).toEqual([0, 10]);
  });

  it('each keep the limit on their own while Redis is down', async () => {
    const [first, second] = startTwo('user');
    await engine.stop();
    expect([first!.admitted(60), second!.admitted(60)]).toEqual([60, 60]);
    await first!.exchange();
    await second!.exchange();
    expect([first!.admitted(60), second!.admitted(60)]).toEqual([40, 40]);
  });
});
