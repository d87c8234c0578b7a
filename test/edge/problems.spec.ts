import { createHash } from 'node:crypto';
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
  markup: () => melted('No packet "<script>alert(1)</script>".'),
};

/** What browsers send when a person opens an address, over TLS and without it. */
const NAVIGATIONS = {
  Chromium: {
    accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8',
    'sec-fetch-dest': 'document',
  },
  'Firefox over plain HTTP': { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' },
  'a browser that names no type': { 'sec-fetch-dest': 'document' },
  'a client that asks for HTML': { accept: 'text/html' },
};

const PROGRAMS: Record<string, Record<string, string>> = {
  'a client without a preference': {},
  curl: { accept: '*/*' },
  axios: { accept: 'application/json, text/plain, */*' },
  'a client that takes a page as well': { accept: 'text/html, application/json' },
  'a client that takes a page if it must': { accept: 'application/problem+json, text/html;q=0.9' },
  'a script of a page': { accept: '*/*', 'sec-fetch-dest': 'empty' },
  'a script that asks for HTML': { accept: 'text/html', 'sec-fetch-dest': 'empty' },
  'an image': { accept: 'image/avif,*/*;q=0.8', 'sec-fetch-dest': 'image' },
  'a client that prefers HTML, with a token': { accept: 'text/html', ...bearer() },
};

const navigation = NAVIGATIONS.Chromium;

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

@Controller('v1/melts')
class MeltController {
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

  shareEdge({}, { controllers: [SampleController, ThingController, MeltController, FaultController] });
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

  describe('in a browser', () => {
    const open = (url: string, headers: Record<string, string> = navigation) => app.inject({ url, headers });
    const policyOf = ({ headers }: { headers: Record<string, unknown> }) =>
      String(headers['content-security-policy']).split('; ');

    it.each(Object.entries(NAVIGATIONS))('is a page for %s, with the same status', async (_, headers) => {
      const answer = await open('/faults?kind=busy', headers);
      expect([answer.statusCode, answer.headers['content-type']]).toEqual([503, 'text/html; charset=utf-8']);
      expect(answer.headers).toMatchObject({ 'retry-after': '3', 'cache-control': 'no-store' });
      expect(answer.body).toContain(String(answer.headers['x-request-id']));
      expect(answer.body).toContain('unavailable');
    });

    it.each(Object.entries(PROGRAMS))('stays the same bytes for %s', async (_, headers) => {
      for (const url of ['/faults?kind=problem', '/faults?kind=bug', '/sample/me', '/nowhere', '/%zz']) {
        const plain = await app.inject({ url, headers: { ...('authorization' in headers && bearer()) } });
        const answer = await open(url, headers);
        const id = String(answer.headers['x-request-id']);
        expect(answer.headers['content-type']).toBe(plain.headers['content-type']);
        expect(answer.headers['content-security-policy']).toBe(plain.headers['content-security-policy']);
        expect(answer.body).toBe(plain.body.replace(String(plain.headers['x-request-id']), id));
      }
    });

    it.each(['POST', 'PUT', 'PATCH', 'DELETE'] as const)('stays JSON for %s', async (method) => {
      const answer = await app.inject({ method, url: '/nowhere', headers: navigation });
      expect(answer.json().code).toBe('route.not_found');
    });

    it.each([
      ['/nowhere', 404, 'There is nothing here', '找不到这个页面'],
      ['/%zz', 400, 'This address cannot be read', '无法识别这个地址'],
      ['/v1/things/7/', 404, 'There is nothing here', '找不到这个页面'],
      ['/sample/me', 401, 'This needs a token', '需要令牌'],
      ['/sample/undecorated', 403, 'You may not see this', '您无权查看'],
      ['/v1/melts/7', 405, 'This is not a page', '这不是网页'],
      ['/faults?kind=problem', 410, 'This is not a page', '这不是网页'],
      ['/faults?kind=bug', 500, 'Something went wrong on our side', '系统出错了'],
      ['/faults?kind=away', 503, 'Back in a moment', '服务暂时不可用'],
    ])('is a page in both languages, with a link onward: %s', async (url, status, english, chinese) => {
      const answer = await open(url);
      expect(answer.statusCode).toBe(status);
      expect(answer.body).toContain(`<span lang="en">${english}</span><span lang="zh-CN">${chinese}</span>`);
      expect(answer.body).toMatch(/<a class="way" href="(\/)?">/);
      expect(answer.body).not.toMatch(/secret|sample|10\.1\.2\.3/);
    });

    it.each([
      [undefined, 'en'],
      ['fr', 'en'],
      ['zh-CN,zh-Hans;q=0.9', 'zh-CN'],
      ['zh-TW', 'zh-CN'],
      ['en-GB,en;q=0.9,zh;q=0.8', 'en'],
      ['en;q=0.2, zh;q=0.9', 'zh-CN'],
      ['zh;q=0, en', 'en'],
    ])('begins in the language of a reader who asks for %s, and offers the other', async (wanted, tag) => {
      const headers = { ...navigation, ...(wanted && { 'accept-language': wanted }) };
      const { body } = await open('/nowhere', headers);
      expect(body).toContain(`<html lang="${tag}">`);
      expect(body).toContain(`id="${tag.slice(0, 2)}" checked>`);
      expect(body).toMatch(/<label for="en"[^>]*>English<.*<label for="zh"[^>]*>中文</s);
    });

    it('is a small page that loads and runs nothing', async () => {
      const answer = await open('/faults?kind=bug');
      const [, style = ''] = /<style>(.*)<\/style>/s.exec(answer.body)!;
      const hash = createHash('sha256').update(style).digest('base64');
      expect(policyOf(answer)).toEqual([
        "default-src 'none'",
        `style-src 'sha256-${hash}'`,
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
      ]);
      expect(answer.body).not.toMatch(/<script|<link|<img| style=| on\w+=|https?:/);
      expect(Buffer.byteLength(answer.body)).toBeLessThan(6 * 1024);
    });

    it('shows what a client sent as text', async () => {
      const { body } = await open('/faults?kind=markup');
      expect(body).toContain('&#60;script&#62;alert(1)&#60;/script&#62;');
      expect(body).not.toContain('<script');
    });
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
