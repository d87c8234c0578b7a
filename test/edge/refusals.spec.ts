import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createSigner } from 'fast-jwt';
import { generateKeyPairSync } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inFuture, SECRET, startEdge, tokenOf } from './edge-app';

const ISSUER = 'https://id.example/';
const exp = inFuture(600);
const good = { sub: 'u1', exp, aud: 'hongbao', iss: ISSUER };

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-384' });
const signedByKey = (kid?: string) =>
  createSigner({ key: privateKey.export({ type: 'pkcs8', format: 'pem' }), algorithm: 'ES384', kid })(good);

/** An app that keeps the lines of its log. */
class Edge {
  readonly lines: string[] = [];

  private constructor(readonly app: NestFastifyApplication) {
    const keep = (line: unknown) => void this.lines.push(String(line));
    app.useLogger({ log: keep, warn: keep, error: keep, fatal: keep, debug: keep, verbose: keep });
  }

  static async start(env: NodeJS.ProcessEnv = {}): Promise<Edge> {
    return new Edge(await startEdge({ JWT_AUDIENCE: 'hongbao', JWT_ISSUER: ISSUER, ...env }));
  }

  async ask(token: string, url = '/sample/me', method: 'GET' | 'POST' = 'GET') {
    return this.app.inject({ method, url, headers: { authorization: `Bearer ${token}` } });
  }
}

describe('the log says why a token was refused, and the answer does not', () => {
  it.each<[string, string, string]>([
    [
      'an issuer without its last slash',
      tokenOf({ ...good, iss: 'https://id.example' }),
      'Refused with 401 (issuer): expected JWT_ISSUER "https://id.example/", got "https://id.example".',
    ],
    [
      'no issuer',
      tokenOf({ ...good, iss: undefined }),
      'Refused with 401 (issuer): expected JWT_ISSUER "https://id.example/", got nothing.',
    ],
    [
      'another audience',
      tokenOf({ ...good, aud: ['a', 'b'] }),
      'Refused with 401 (audience): expected JWT_AUDIENCE "hongbao" in aud, got ["a","b"].',
    ],
    [
      'no audience',
      tokenOf({ ...good, aud: undefined }),
      'Refused with 401 (audience): expected JWT_AUDIENCE "hongbao" in aud, got nothing.',
    ],
    [
      'another algorithm',
      tokenOf(good, { algorithm: 'HS512' }),
      'Refused with 401 (algorithm): expected HS256 (JWT_SECRET), got "HS512".',
    ],
    [
      'a secret with a line break at its end',
      tokenOf(good, { secret: `${SECRET}\n` }),
      `Refused with 401 (signature): it was not signed with JWT_SECRET, which has ${SECRET.length} bytes.`,
    ],
    [
      'a token that has ended',
      tokenOf({ ...good, exp: 1_700_000_000 }),
      'Refused with 401 (expired): exp was 2023-11-14T22:13:20.000Z.',
    ],
    [
      'a token of a clock that is ahead',
      tokenOf({ ...good, nbf: 4_000_000_000 }),
      'Refused with 401 (not-yet): nbf is 2096-10-02T07:06:40.000Z: compare the clocks.',
    ],
    [
      'a token that never ends',
      tokenOf({ ...good, exp: undefined }),
      'Refused with 401 (claims): it has no exp.',
    ],
    [
      'an opaque token',
      'gAAAAABk',
      'Refused with 401 (form): expected a JWT of three parts, got 1 (an opaque token is not for APIs: ask for one with an audience).',
    ],
    [
      'an encrypted token',
      'a.b.c.d.e',
      'Refused with 401 (form): expected a signed token, got an encrypted one (JWE).',
    ],
    [
      'a role that is not ours',
      tokenOf({ ...good, role: 'admin' }),
      'Refused with 401 (claims): The token has an unknown role, or several of which none includes the others (role). It is "admin".',
    ],
    [
      'a user id with a line break',
      tokenOf({ ...good, sub: 'a\nb\u202e' }),
      'Refused with 401 (claims): The token names no valid user (sub). It is "a\\nb?".',
    ],
  ])('%s', async (_, token, line) => {
    const edge = await Edge.start();
    const answer = await edge.ask(token);
    expect([answer.statusCode, edge.lines]).toEqual([401, [line]]);
    expect(answer.body).not.toContain('id.example');
    expect(edge.lines.join()).not.toContain(token);
    await edge.app.close();
  });

  it('a role without the right is also named in the answer, together with the roles that have it', async () => {
    const edge = await Edge.start();
    const answer = await edge.ask(tokenOf({ ...good, role: 'finance' }), '/sample/wallets/ann');
    expect(answer.json()).toMatchObject({
      status: 403,
      detail: 'This route is open to: user, server. The role of this token is finance.',
    });
    expect(edge.lines).toEqual(['Refused with 403 (role): expected user or server, got finance.']);
    await edge.app.close();
  });

  it('a thousand refusals write one line, and the counter has them all', async () => {
    const edge = await Edge.start();
    const nowMs = performance.now();
    const clock = jest.spyOn(performance, 'now').mockReturnValue(nowMs);
    for (let i = 0; i < 1_000; i++) await edge.ask(tokenOf({ ...good, iss: `https://evil-${i}.example` }));
    expect(edge.lines).toHaveLength(1);
    clock.mockReturnValue(nowMs + 10_000);
    await edge.ask(tokenOf({ ...good, iss: 'https://evil.example' }));
    clock.mockRestore();
    expect(edge.lines).toHaveLength(2);
    const { body } = await edge.app.inject('/metrics');
    expect(body).toContain('hongbao_auth_refusals_total{check="issuer"} 1001');
    await edge.app.close();
  });
});

describe('the log says why a key set does not help', () => {
  let server: Server;
  let body = '';
  let status = 200;

  beforeAll(async () => {
    server = createServer(({ url }, response) =>
      response
        .writeHead(url === '/moved' ? 200 : status, { connection: 'close', location: '/moved' })
        .end(body),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => server.close());
  beforeEach(() => (status = 200));

  const byKeySet = (algorithm: string, port = (server.address() as AddressInfo).port) =>
    Edge.start({
      JWT_SECRET: '',
      JWT_JWKS_URL: `http://127.0.0.1:${port}/keys`,
      JWT_JWKS_ALGORITHM: algorithm,
    });
  const publish = (more: object) =>
    (body = JSON.stringify({ keys: [{ ...publicKey.export({ format: 'jwk' }), ...more }] }));

  it('a token of ES384 is accepted where ES384 is configured', async () => {
    publish({ kid: 'k1' });
    const edge = await byKeySet('ES384');
    expect((await edge.ask(signedByKey('k1'))).statusCode).toBe(200);
    await edge.app.close();
  });

  it('a token of ES384 where RS256 is configured names the setting', async () => {
    publish({ kid: 'k1' });
    const edge = await byKeySet('RS256');
    await edge.ask(signedByKey('k1'));
    expect(edge.lines).toEqual([
      'Refused with 401 (algorithm): expected RS256 (JWT_JWKS_ALGORITHM), got "ES384".',
    ]);
    await edge.app.close();
  });

  it('a key that is not in the set is named together with the keys that are', async () => {
    publish({ kid: 'k1' });
    const edge = await byKeySet('ES384');
    await edge.ask(signedByKey('k2'));
    expect(edge.lines).toEqual(['Refused with 401 (key): expected one of ["k1"], got "k2".']);
    await edge.app.close();
  });

  it.each([
    [
      'answers 403',
      403,
      /^Refused with 503 \(keys-unavailable\): the key set of 127\.0\.0\.1:\d+\/keys cannot be fetched: the answer was 403\.$/,
    ],
    ['answers with a page', 200, /cannot be fetched: .*JSON/],
  ])('a provider that %s', async (_, answered, line) => {
    [status, body] = [answered, '<html>'];
    const edge = await byKeySet('ES384');
    expect((await edge.ask(signedByKey('k1'))).statusCode).toBe(503);
    expect(edge.lines).toEqual([expect.stringMatching(line)]);
    await edge.app.close();
  });

  it('a provider that redirects, which could lead to the keys of somebody else', async () => {
    publish({ kid: 'k1' });
    status = 302;
    const edge = await byKeySet('ES384');
    expect((await edge.ask(signedByKey('k1'))).statusCode).toBe(503);
    expect(edge.lines).toEqual([
      expect.stringContaining('cannot be fetched: fetch failed: unexpected redirect'),
    ]);
    await edge.app.close();
  });

  it('a provider at an address where nothing listens', async () => {
    const edge = await byKeySet('ES384', 1);
    expect((await edge.ask(signedByKey('k1'))).statusCode).toBe(503);
    expect(edge.lines).toEqual([expect.stringContaining('cannot be fetched: fetch failed: ')]);
    await edge.app.close();
  });
});

describe('an audience that another claim names', () => {
  it.each([
    [
      'an access token of Cognito, which has client_id instead of aud',
      { client_id: 'app-1', aud: undefined },
      200,
    ],
    ['an access token of another client', { client_id: 'app-2', aud: undefined }, 401],
    ['an identity token, which has the client in aud', { aud: 'app-1' }, 401],
    ['a list with the client', { client_id: ['app-1'] }, 401],
  ])('decides about %s', async (_, claims, status) => {
    const edge = await Edge.start({ JWT_AUDIENCE: 'app-1', JWT_AUDIENCE_CLAIM: 'client_id' });
    expect((await edge.ask(tokenOf({ ...good, ...claims }))).statusCode).toBe(status);
    await edge.app.close();
  });
});
