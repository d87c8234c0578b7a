import { createHmac } from 'node:crypto';
import { Controller, Get } from '@nestjs/common';
import { Allow, CurrentStranger, OpenToStrangers } from '../../src/platform/http';
import { LEAK } from '../fuzz/judge';
import { waitFor } from '../harness/engines';
import { app, bearer, inFuture, SampleController, SECRET, shareEdge, tokenOf } from './edge-app';

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

function signed(header: object, payload: object): string {
  const text = `${encode(header)}.${encode(payload)}`;
  return `${text}.${createHmac('sha256', SECRET).update(text).digest('base64url')}`;
}

/** Replaces the claims of a token, and keeps its signature. */
function withClaims(token: string, claims: object): string {
  const [header, , signature] = token.split('.');
  return `${header}.${encode(claims)}.${signature}`;
}

@Controller('open')
class OpenController {
  @Get()
  @Allow('read')
  @OpenToStrangers()
  read(@CurrentStranger() stranger?: string) {
    return { stranger };
  }
}

describe('access control', () => {
  shareEdge({ JWT_AUDIENCE: '', JWT_ISSUER: '' }, { controllers: [SampleController, OpenController] });

  const get = (url: string, headers: Record<string, string> = {}) =>
    app.inject({ method: 'GET', url, headers });
  const me = (authorization?: string) =>
    get('/sample/me', authorization === undefined ? {} : { authorization });

  const exp = inFuture();
  const good = { sub: 'u1', exp };

  it.each([
    ['no token', undefined],
    ['an empty token', 'Bearer '],
    ['another scheme', `Basic ${tokenOf(good)}`],
    ['garbage', 'Bearer abc.def.ghi'],
    ['an expired token', `Bearer ${tokenOf({ sub: 'u1', exp: inFuture(-1) })}`],
    ['a token that is not valid yet', `Bearer ${tokenOf({ ...good, nbf: inFuture() })}`],
    ['a token that never expires', `Bearer ${tokenOf({ sub: 'u1' })}`],
    ['a token without a user', `Bearer ${tokenOf({ exp })}`],
    ['a user that is a number', `Bearer ${signed({ alg: 'HS256', typ: 'JWT' }, { sub: 7, exp })}`],
    ['a user with a space', `Bearer ${tokenOf({ sub: 'u 1', exp })}`],
    ['a user beyond ASCII', `Bearer ${tokenOf({ sub: 'ü1', exp })}`],
    ['a user of no characters', `Bearer ${tokenOf({ sub: '', exp })}`],
    ['a user with a newline', `Bearer ${tokenOf({ sub: 'u1\n', exp })}`],
    ['a user of 129 characters', `Bearer ${tokenOf({ sub: 'u'.repeat(129), exp })}`],
    ['an unknown role', `Bearer ${tokenOf({ ...good, role: 'admin' })}`],
    [
      'several roles of which none includes the others',
      `Bearer ${tokenOf({ ...good, role: ['campaign', 'finance'] })}`,
    ],
    ['a channel without a name', `Bearer ${tokenOf({ ...good, role: 'channel' })}`],
    ['a channel with a faulty id', `Bearer ${tokenOf({ ...good, role: 'channel', channel_id: '0' })}`],
    ['a channel whose id is a number', `Bearer ${tokenOf({ ...good, role: 'channel', channel_id: 1 })}`],
    [
      'a channel that is staff, too',
      `Bearer ${tokenOf({ ...good, role: ['channel', 'finance'], channel_id: '1' })}`,
    ],
    ['another key', `Bearer ${tokenOf(good, { secret: 'x'.repeat(40) })}`],
    ['another algorithm', `Bearer ${tokenOf(good, { algorithm: 'HS512' })}`],
    ['alg none', `Bearer ${encode({ alg: 'none', typ: 'JWT' })}.${encode(good)}.`],
    ['a list of algorithms', `Bearer ${signed({ alg: ['HS256'] }, good)}`],
    ['an algorithm in small letters', `Bearer ${signed({ alg: 'hs256' }, good)}`],
    ['an unknown critical extension', `Bearer ${signed({ alg: 'HS256', crit: ['x'], x: 1 }, good)}`],
    ['a payload that is not an object', `Bearer ${signed({ alg: 'HS256' }, [good])}`],
    ['an expiry in text', `Bearer ${signed({ alg: 'HS256' }, { sub: 'u1', exp: String(exp) })}`],
    ['a beginning in text', `Bearer ${signed({ alg: 'HS256' }, { ...good, nbf: '1' })}`],
    ['an expiry in a prototype', `Bearer ${signed({ alg: 'HS256' }, { sub: 'u1', ['__proto__']: { exp } })}`],
    ['a padded signature', `Bearer ${tokenOf(good)}=`],
    ['half a signature', `Bearer ${tokenOf(good).slice(0, -20)}`],
    [
      'a role that was changed afterwards',
      `Bearer ${withClaims(tokenOf(good), { ...good, role: 'operator' })}`,
    ],
    ['four parts', `Bearer ${tokenOf(good)}.abc`],
    ['alg none with a signature', `Bearer ${signed({ alg: 'none' }, good)}`],
  ])('answers 401 to %s', async (_, authorization) => {
    const answer = await me(authorization);
    expect(answer.statusCode).toBe(401);
    expect(answer.headers['www-authenticate']).toBe('Bearer');
    expect(answer.headers['content-type']).toBe('application/problem+json');
    expect(answer.json()).toMatchObject({ code: 'auth.unauthenticated', status: 401 });
    expect(answer.body).not.toMatch(LEAK);
  });

  it('accepts a token again and again, until it expires', async () => {
    const expiresAt = inFuture(2);
    const authorization = `Bearer ${tokenOf({ sub: 'u1', exp: expiresAt })}`;
    expect([(await me(authorization)).statusCode, (await me(authorization)).statusCode]).toEqual([200, 200]);
    await waitFor(async () => (await me(authorization)).statusCode === 401, { what: 'the token to expire' });
    expect(Date.now()).toBeGreaterThanOrEqual(expiresAt * 1000);
  });

  it('treats a token without a role as a user’s, and accepts the scheme in any letter case', async () => {
    expect((await me(`bearer ${tokenOf(good)}`)).json()).toEqual({ userId: 'u1', role: 'user' });
  });

  it.each(['user', 'operator', 'campaign', 'finance', 'support'])(
    'lets only a server act for others: %s is answered 403, even when they name themselves',
    async (role) => {
      for (const user of ['u1', 'u2', '']) {
        const answer = await get('/sample/me', { ...bearer('u1', role), 'act-for': user });
        expect([answer.statusCode, answer.json().code]).toEqual([403, 'auth.forbidden']);
      }
    },
  );

  it('treats a request of a server as a request of the user it names, and remembers no user for its token', async () => {
    const server = bearer('shop', 'server');
    for (const user of ['u1', 'u2'])
      expect((await get('/sample/me', { ...server, 'act-for': user })).json()).toEqual({
        userId: user,
        role: 'user',
        via: 'shop',
      });
    const unnamed = await get('/sample/me', server);
    expect([unnamed.statusCode, unnamed.json().errors[0].field]).toEqual([400, 'Act-For']);
  });

  it('opens a route to strangers only if they bring no token, and name nobody for whom they act', async () => {
    const open = async (headers?: Record<string, string>) => {
      const answer = await get('/open', headers);
      return answer.json().code ?? answer.json();
    };
    expect(await open()).toEqual({ stranger: '127.0.0.1' });
    expect(await open(bearer())).toEqual({});
    for (const [name, value] of [
      ['authorization', ''],
      ['authorization', 'Bearer x'],
      ['act-for', 'u1'],
    ] as const)
      expect([name, value, await open({ [name]: value })]).toEqual([name, value, 'auth.unauthenticated']);
    expect(await open(bearer('shop', 'server'))).toBe('request.invalid');
  });

  it('closes a route to all callers when it does not say who may call it', async () => {
    expect((await get('/sample/undecorated')).statusCode).toBe(403);
    expect((await get('/sample/undecorated', bearer('ops', 'operator'))).statusCode).toBe(403);
  });

  it('opens a public route without a token', async () => {
    expect((await get('/sample/public')).json()).toEqual({ open: true });
  });
});

describe('the audience and the issuer of a token', () => {
  shareEdge({ JWT_AUDIENCE: 'hongbao', JWT_ISSUER: 'https://id.example' });

  it.each([
    ['both right', { aud: 'hongbao', iss: 'https://id.example' }, 200],
    ['one of several audiences', { aud: ['x', 'hongbao'], iss: 'https://id.example' }, 200],
    ['no audience among several', { aud: ['x', 'Hongbao'], iss: 'https://id.example' }, 401],
    ['a list of issuers', { aud: 'hongbao', iss: ['https://id.example'] }, 401],
    ['wrong audience', { aud: 'other', iss: 'https://id.example' }, 401],
    ['wrong issuer', { aud: 'hongbao', iss: 'https://evil.example' }, 401],
    ['neither', {}, 401],
  ])('are checked when configured: %s', async (_, claims, status) => {
    const authorization = `Bearer ${tokenOf({ sub: 'u1', exp: inFuture(), ...claims })}`;
    expect((await app.inject({ url: '/sample/me', headers: { authorization } })).statusCode).toBe(status);
  });
});
