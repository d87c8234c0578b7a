import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { exportJWK, exportSPKI, generateKeyPair, type JWK, SignJWT } from 'jose';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inFuture, startEdge } from './edge-app';

type Algorithm = 'RS256' | 'ES256' | 'EdDSA' | 'PS256' | 'RS512' | 'HS256';
type KeyPair = Awaited<ReturnType<typeof generateKeyPair>>;
type SigningKey = KeyPair['privateKey'] | Uint8Array;

interface Signing {
  readonly alg: Algorithm;
  readonly kid?: string;
  readonly claims?: Record<string, unknown>;
}

const pairOf = (alg: Algorithm): Promise<KeyPair> => generateKeyPair(alg, { extractable: true });

const sign = (key: SigningKey, { alg, kid, claims = {} }: Signing): Promise<string> =>
  new SignJWT({ sub: 'u1', exp: inFuture(3600), ...claims }).setProtectedHeader({ alg, kid }).sign(key);

const withoutSecret = { JWT_SECRET: '' };

function me(app: NestFastifyApplication, token: string) {
  return app.inject({
    method: 'GET',
    url: '/sample/me',
    headers: { authorization: `Bearer ${token}` },
  });
}

const statusOf = async (app: NestFastifyApplication, token: string) => (await me(app, token)).statusCode;

describe('a public key', () => {
  let app: NestFastifyApplication | undefined;
  afterEach(() => app?.close());

  it.each(['RS256', 'ES256', 'EdDSA'] as const)('verifies %s', async (alg) => {
    const { publicKey, privateKey } = await pairOf(alg);
    const pem = (await exportSPKI(publicKey)).replaceAll('\n', '\\n');
    app = await startEdge({ ...withoutSecret, JWT_PUBLIC_KEY: pem });
    const answer = await me(app, await sign(privateKey, { alg, claims: { role: 'operator' } }));
    expect(answer.json()).toEqual({ userId: 'u1', role: 'operator' });
    expect(await statusOf(app, await sign((await pairOf(alg)).privateKey, { alg }))).toBe(401);
  });

  it('is no secret: a token that was signed with its text is refused, and so is every other algorithm', async () => {
    const { publicKey } = await pairOf('RS256');
    const pem = await exportSPKI(publicKey);
    app = await startEdge({ ...withoutSecret, JWT_PUBLIC_KEY: pem });
    for (const text of [pem, pem.trim()])
      expect(await statusOf(app, await sign(Buffer.from(text), { alg: 'HS256' }))).toBe(401);
    const { privateKey } = await pairOf('RS512');
    expect(await statusOf(app, await sign(privateKey, { alg: 'RS512' }))).toBe(401);
  });
});

describe('a token by the clock of another host', () => {
  it.each([
    ['is accepted late within the tolerance', { exp: -3 }, 200],
    ['is refused too late', { exp: -8 }, 401],
    ['is accepted early within the tolerance', { exp: 60, nbf: 3 }, 200],
    ['is refused too early', { exp: 60, nbf: 8 }, 401],
  ])('%s', async (_, offsets, status) => {
    const { publicKey, privateKey } = await pairOf('EdDSA');
    const app = await startEdge({
      ...withoutSecret,
      JWT_PUBLIC_KEY: await exportSPKI(publicKey),
      JWT_CLOCK_TOLERANCE_SECONDS: '5',
    });
    const claims = Object.fromEntries(Object.entries(offsets).map(([name, s]) => [name, inFuture(s)]));
    const token = await sign(privateKey, { alg: 'EdDSA', claims });
    expect([await statusOf(app, token), await statusOf(app, token)]).toEqual([status, status]);
    await app.close();
  });
});

describe('a key set', () => {
  let app: NestFastifyApplication;
  let provider: IdentityProvider;
  let first: KeyPair;

  beforeEach(async () => {
    provider = await IdentityProvider.start();
    first = await pairOf('ES256');
    await provider.publish({ first: first.publicKey });
    app = await startEdge({
      ...withoutSecret,
      JWT_JWKS_URL: provider.url,
      JWT_JWKS_ALGORITHM: 'ES256',
      JWT_AUDIENCE: 'hongbao',
      JWT_ISSUER: 'https://issuer.example',
    });
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await app.close();
    await provider.stop();
  });

  const claims = { aud: 'hongbao', iss: 'https://issuer.example' };
  const tokenOf = (sub: string, pair = first, kid = 'first') =>
    sign(pair.privateKey, { alg: 'ES256', kid, claims: { ...claims, sub } });
  const later = (seconds: number) => {
    const now = Date.now() + seconds * 1000;
    jest.spyOn(Date, 'now').mockReturnValue(now);
  };

  it('is fetched once for many users', async () => {
    const statuses = await Promise.all(
      Array.from({ length: 20 }, async (_, i) => statusOf(app, await tokenOf(`u${i}`))),
    );
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(provider.asked).toBe(1);
  });

  it('is not fetched again for every token that names an unknown key', async () => {
    for (let i = 0; i < 10; i++)
      expect(await statusOf(app, await tokenOf('u1', first, `no-such-key-${i}`))).toBe(401);
    expect(provider.asked).toBe(1);
  });

  it('may change: a new key is accepted when a token names it, a withdrawn one for five minutes at most', async () => {
    const old = await tokenOf('u1');
    expect(await statusOf(app, old)).toBe(200);
    const second = await pairOf('ES256');
    await provider.publish({ second: second.publicKey });
    later(31);
    expect(await statusOf(app, await tokenOf('u2', second, 'second'))).toBe(200);
    later(301);
    expect(await statusOf(app, old)).toBe(401);
  });

  it.each([
    ['another audience', { aud: 'other' }],
    ['no audience', { aud: undefined }],
    ['another issuer', { iss: 'https://evil.example' }],
    ['no issuer', { iss: undefined }],
    ['no expiry', { exp: undefined }],
    ['an expired token', { exp: inFuture(-1) }],
  ])('answers 401 to %s', async (_, wrong) => {
    const token = await sign(first.privateKey, {
      alg: 'ES256',
      kid: 'first',
      claims: { ...claims, ...wrong },
    });
    expect(await statusOf(app, token)).toBe(401);
  });

  it('stays in use while it is fresh and cannot be fetched, whatever keys somebody makes up', async () => {
    expect(await statusOf(app, await tokenOf('u1'))).toBe(200);
    provider.fail();
    later(31);
    expect(await statusOf(app, await tokenOf('u2', first, 'no-such-key'))).toBe(503);
    expect(await statusOf(app, await tokenOf('u3'))).toBe(200);
    expect(await statusOf(app, await tokenOf('u4', first, 'no-such-key'))).toBe(401);
  });

  it('keeps out all tokens that were not verified before when it cannot be fetched, with a clear answer', async () => {
    const known = await tokenOf('u1');
    expect(await statusOf(app, known)).toBe(200);
    provider.fail();
    later(301);
    const answer = await me(app, await tokenOf('u2'));
    expect(answer.statusCode).toBe(503);
    expect(answer.headers['retry-after']).toBe('5');
    expect(answer.json()).toMatchObject({ code: 'auth.keys_unavailable' });
    expect(answer.body).not.toContain(provider.url);
    const { asked } = provider;
    for (let i = 3; i < 13; i++) expect(await statusOf(app, await tokenOf(`u${i}`))).toBe(503);
    expect(provider.asked).toBe(asked);
  });
});

/** Publishes a key set as identity providers do. */
class IdentityProvider {
  asked = 0;
  private keys: JWK[] = [];
  private broken = false;

  private constructor(private readonly server: Server) {
    server.on('request', (_request, response) => {
      this.asked += 1;
      response.writeHead(this.broken ? 500 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ keys: this.keys }));
    });
  }

  static async start(): Promise<IdentityProvider> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new IdentityProvider(server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/keys`;
  }

  async publish(keys: Record<string, KeyPair['publicKey']>): Promise<void> {
    this.keys = await Promise.all(
      Object.entries(keys).map(async ([kid, key]) => ({ ...(await exportJWK(key)), kid, alg: 'ES256' })),
    );
  }

  fail(): void {
    this.broken = true;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
