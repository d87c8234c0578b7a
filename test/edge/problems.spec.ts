import { Controller, Delete, Get, HttpException, Logger, Query } from '@nestjs/common';
import { QueryFailedError } from 'typeorm';
import { defineProblem, must } from '../../libs/problem';
import { Public, unavailable } from '../../src/platform/http';
import { app, bearer, SampleController, shareEdge } from './edge-app';

const melted = defineProblem({ code: 'packet.melted', status: 410, title: 'Packet melted' });

const refused = () =>
  Object.assign(new Error('connect ECONNREFUSED 10.1.2.3:5432'), { code: 'ECONNREFUSED' });
const failed = (code: string) =>
  new QueryFailedError(
    'select secret from claim',
    ['hunter2'],
    Object.assign(new Error('relation'), { code }),
  );

const FAULTS: Record<string, () => unknown> = {
  problem: () => melted('Packet 7 melted.', { fields: [{ field: 'no', ...must.beLeftOut('is gone') }] }),
  busy: () => unavailable('Later.', { retryAfterSeconds: 3 }),
  bug: () => new TypeError('rp:{07}:42:state is undefined', { cause: new Error('deeper cause') }),
  text: () => 'just a string',
  nothing: () => undefined,
  sql: () => failed('42P01'),
  framework: () => new HttpException('connect to 10.1.2.3', 502),
  away: refused,
  restarting: () => failed('57P01'),
};

@Controller('v1/things')
class ThingController {
  @Get(':id')
  @Public()
  read() {
    return {};
  }

  @Delete(':id')
  @Public()
  remove() {
    return {};
  }
}

@Controller('faults')
class FaultController {
  @Get()
  @Public()
  raise(@Query('kind') kind: string): never {
    throw FAULTS[kind]!();
  }
}

describe('every answer that is not a success', () => {
  let logged: jest.SpyInstance;

  shareEdge({}, { controllers: [SampleController, ThingController, FaultController] });
  beforeEach(() => {
    logged = jest.spyOn(Logger.prototype, 'error').mockImplementation();
  });
  afterEach(() => logged.mockRestore());
  const fault = (kind: string) => app.inject({ url: `/faults?kind=${kind}`, headers: bearer() });

  it('is a problem as RFC 9457 defines it, with our code and the request id', async () => {
    const answer = await fault('problem');
    expect(answer.statusCode).toBe(410);
    expect(answer.headers['content-type']).toBe('application/problem+json');
    expect(answer.json()).toEqual({
      type: '/docs/errors#packet.melted',
      title: 'Packet melted',
      status: 410,
      detail: 'Packet 7 melted.',
      code: 'packet.melted',
      requestId: answer.headers['x-request-id'],
      errors: [{ field: 'no', rule: 'forbidden', message: 'is gone' }],
    });
  });

  it('says when to try again, if it is known', async () => {
    expect((await fault('busy')).headers['retry-after']).toBe('3');
  });

  it.each(['bug', 'text', 'nothing', 'sql', 'framework'])(
    'does not reveal anything about a fault of ours: %s',
    async (kind) => {
      const answer = await fault(kind);
      expect(answer.statusCode).toBe(500);
      expect(answer.json()).toEqual({
        type: '/docs/errors#internal',
        title: 'Internal error',
        status: 500,
        detail: 'Something went wrong on our side.',
        code: 'internal',
        requestId: expect.any(String),
      });
    },
  );

  it('is logged once if the fault is ours, with its causes and without token or statement parameters', async () => {
    const answer = await fault('bug');
    expect(logged).toHaveBeenCalledTimes(1);
    const text = logged.mock.calls.flat().join('\n');
    expect(logged).toHaveBeenCalledWith('GET /faults failed', expect.any(String), {
      requestId: answer.headers['x-request-id'],
    });
    expect(text).toContain('rp:{07}:42:state is undefined');
    expect(text).toContain('deeper cause');
    await fault('sql');
    expect(logged.mock.calls.flat().join('\n')).not.toMatch(/hunter2|eyJ/);
  });

  it.each(['away', 'restarting'])('is 503 with Retry-After when an engine is %s', async (kind) => {
    const answer = await fault(kind);
    expect(answer.statusCode).toBe(503);
    expect(answer.headers['retry-after']).toBe('1');
    expect(answer.body).not.toContain('10.1.2.3');
    expect(logged).not.toHaveBeenCalled();
  });

  it('is a problem for unknown routes too, without an echo of the path', async () => {
    for (const [method, url] of [
      ['GET', '/v1/nothing?token=secret'],
      ['DELETE', '/sample/me'],
      ['GET', '/sample/me/'],
      ['GET', '//sample/me'],
    ] as const) {
      const answer = await app.inject({ method, url });
      expect(answer.statusCode).toBe(404);
      expect(answer.json().code).toBe('route.not_found');
      expect(answer.body).not.toMatch(/secret|sample/);
    }
  });

  it('is 405 with the methods of a path that has others', async () => {
    for (const method of ['POST', 'PUT', 'PATCH'] as const) {
      const answer = await app.inject({ method, url: '/v1/things/7?token=secret' });
      expect([answer.statusCode, answer.headers.allow]).toEqual([405, 'GET, HEAD, DELETE']);
      expect(answer.json().code).toBe('request.method_not_allowed');
      expect(answer.body).not.toMatch(/secret|things/);
    }
    for (const url of ['/v1/things', '/v1/things/', '/v1/things/7/8'])
      expect((await app.inject({ method: 'POST', url })).statusCode).toBe(404);
  });

  it('carries the headers of every other answer', async () => {
    for (const answer of [await fault('bug'), await app.inject('/sample/public')]) {
      expect(answer.headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'strict-transport-security': expect.stringContaining('max-age='),
        'content-security-policy': expect.stringMatching(/^default-src 'self';.*frame-ancestors 'none'/),
        'cache-control': 'no-store',
      });
      expect(answer.headers).not.toHaveProperty('x-powered-by');
      expect(answer.headers).not.toHaveProperty('server');
    }
  });
});

describe('the request id', () => {
  shareEdge();

  const idFor = async (given: string) =>
    (await app.inject({ url: '/sample/public', headers: { 'x-request-id': given } })).headers['x-request-id'];

  it('is the id that the client sent, if it is harmless', async () => {
    expect(await idFor('abc-123_X.y')).toBe('abc-123_X.y');
  });

  it.each(['', 'a b', '<script>', 'x'.repeat(65), 'a\tb', 'ü'])('is ours instead of %j', async (given) => {
    expect(await idFor(given)).toMatch(/^[0-9a-f-]{36}$/);
  });
});
