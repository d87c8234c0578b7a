import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { type Algorithm, createSigner } from 'fast-jwt';
import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  createSign,
  generateKeyPairSync,
  type JsonWebKey,
} from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { TokenVerifier } from '../../src/platform/http/auth/token-verifier';
import { Sessions } from '../../src/platform/http';
import { inFuture, startEdge } from './edge-app';

interface KeyPair {
  readonly publicKey: string;
  readonly privateKey: string;
}

interface Signing {
  readonly alg: Algorithm;
  readonly kid?: string;
  readonly claims?: object;
}

const publicKeyEncoding = { type: 'spki', format: 'pem' } as const;
const privateKeyEncoding = { type: 'pkcs8', format: 'pem' } as const;

function pairOf(alg: Algorithm, modulusLength = 2048): KeyPair {
  if (alg === 'EdDSA') return generateKeyPairSync('ed25519', { publicKeyEncoding, privateKeyEncoding });
  return alg === 'ES256'
    ? generateKeyPairSync('ec', { namedCurve: 'P-256', publicKeyEncoding, privateKeyEncoding })
    : generateKeyPairSync('rsa', { modulusLength, publicKeyEncoding, privateKeyEncoding });
}

const inJwk = (publicKey: string): JsonWebKey => createPublicKey(publicKey).export({ format: 'jwk' });

const sign = (key: string, { alg, kid, claims = {} }: Signing): string =>
  createSigner({ key, algorithm: alg, kid })({ sub: 'u1', exp: inFuture(3600), ...claims });

const withoutSecret = { JWT_SECRET: '' };

function me(app: NestFastifyApplication, token: string) {
  return app.inject({ method: 'GET', url: '/sample/me', headers: { authorization: `Bearer ${token}` } });
}

const statusOf = async (app: NestFastifyApplication, token: string) => (await me(app, token)).statusCode;

describe('a public key', () => {
  let app: NestFastifyApplication | undefined;
  afterEach(() => app?.close());

  it.each(['RS256', 'ES256', 'EdDSA'] as const)('verifies %s', async (alg) => {
    const { publicKey, privateKey } = pairOf(alg);
    const pem = publicKey.replaceAll('\n', '\\n');
    app = await startEdge({ ...withoutSecret, JWT_PUBLIC_KEY: pem });
    const answer = await me(app, sign(privateKey, { alg, claims: { role: 'operator' } }));
    expect(answer.json()).toEqual({ userId: 'u1', role: 'operator' });
    expect(await statusOf(app, sign(pairOf(alg).privateKey, { alg }))).toBe(401);
  });

  it('verifies roles by the names of the issuer, and a role with any other name is refused', async () => {
    const { publicKey, privateKey } = pairOf('ES256');
    app = await startEdge({
      ...withoutSecret,
      JWT_PUBLIC_KEY: publicKey.replaceAll('\n', '\\n'),
      JWT_ROLE_CLAIM: 'roles',
      JWT_ROLE_NAMES: 'operator=Rain.Operator',
    });
    const roleOf = async (claims: object) =>
      (await me(app!, sign(privateKey, { alg: 'ES256', claims }))).json<{ role?: string; status?: number }>();
    expect(await roleOf({ roles: ['Other', 'Rain.Operator'] })).toEqual({ userId: 'u1', role: 'operator' });
    expect(await roleOf({ role: 'operator', roles: ['operator'] })).toEqual({ userId: 'u1', role: 'user' });
    expect(await roleOf({ roles: 'operator' })).toMatchObject({ status: 401 });
  });

  it('is not a secret: a token signed with its text is refused, and so is every other algorithm', async () => {
    const { publicKey: pem } = pairOf('RS256');
    app = await startEdge({ ...withoutSecret, JWT_PUBLIC_KEY: pem });
    for (const text of [pem, pem.trim()]) expect(await statusOf(app, sign(text, { alg: 'HS256' }))).toBe(401);
    const { privateKey } = pairOf('RS512');
    expect(await statusOf(app, sign(privateKey, { alg: 'RS512' }))).toBe(401);
  });
});

it('a secret that is being replaced verifies the earlier tokens, and no others', async () => {
  const [secret, previous, strange] = ['new', 'old', 'strange'].map((word) => word.padEnd(32, '-'));
  const app = await startEdge({ JWT_SECRET: secret, JWT_SECRET_PREVIOUS: previous });
  const statuses = [secret, previous, strange].map((key) => statusOf(app, sign(key!, { alg: 'HS256' })));
  expect(await Promise.all(statuses)).toEqual([200, 200, 401]);
  await app.close();
});

/** Each holds whatever the library does, through the settings it is given or through our own checks. */
describe('what an advisory about fast-jwt describes', () => {
  const { publicKey: pem, privateKey } = pairOf('RS256');
  const rsa1 = createPublicKey(pem).export({ type: 'pkcs1', format: 'pem' }) as string;
  const jwk = JSON.stringify(inJwk(pem));
  const byKey = { ...withoutSecret, JWT_PUBLIC_KEY: pem, JWT_ISSUER: 'https://issuer.example' };
  const iss = byKey.JWT_ISSUER;
  const exp = inFuture(3600);

  const signed = (alg: string, key: string, payload: unknown, header: object = {}) => {
    const text = [{ alg, ...header }, payload]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.');
    const signature = alg === 'HS256' ? createHmac('sha256', key).update(text) : undefined;
    return `${text}.${signature?.digest('base64url') ?? createSign('sha256').update(text).sign(key, 'base64url')}`;
  };
  const unsigned = (alg: string) => signed(alg, privateKey, { sub: 'u1', iss, exp }).replace(/[^.]+$/, '');

  it.each<[string, string, NodeJS.ProcessEnv, string]>([
    [
      'GHSA-c2ff-88x2-x9pg',
      'a public key of PKCS #1 verifies no HMAC over its text',
      { ...byKey, JWT_PUBLIC_KEY: rsa1 },
      signed('HS256', rsa1, { sub: 'u1', iss, exp }),
    ],
    [
      'GHSA-mvf2-f6gm-w987',
      'a public key between white space verifies no HMAC over its text',
      { ...byKey, JWT_PUBLIC_KEY: ` \n\t${pem}\n` },
      signed('HS256', ` \n\t${pem}\n`, { sub: 'u1', iss, exp }),
    ],
    [
      'GHSA-gm45-q3v2-6cf8',
      'a list of issuers is not an issuer, even if ours is in it',
      byKey,
      signed('RS256', privateKey, { sub: 'u1', iss: ['https://evil.example', iss], exp }),
    ],
    [
      'GHSA-hm7r-c7qw-ghp6',
      'a token with a critical extension that nobody here understands is refused',
      byKey,
      signed('RS256', privateKey, { sub: 'u1', iss, exp }, { crit: ['x-policy'], 'x-policy': 'mfa' }),
    ],
    [
      'GHSA-5hjw-83fp-phq9',
      'a token whose claims are a list is refused, although it is signed',
      byKey,
      signed('RS256', privateKey, [{ sub: 'u1', iss, exp }]),
    ],
    ['GHSA-8wpc-h4q6-8fxv', 'a token without a signature is refused', byKey, unsigned('RS256')],
    [
      'GHSA-gmvf-9v4p-v8jc',
      'an HMAC by the empty secret is refused by a secret',
      {},
      signed('HS256', '', { sub: 'u1', exp }),
    ],
    [
      'GHSA-687g-22h4-j4w4',
      'a token that ended an hour ago is refused at the largest tolerance of clocks',
      { ...byKey, JWT_CLOCK_TOLERANCE_SECONDS: '5' },
      signed('RS256', privateKey, { sub: 'u1', iss, exp: inFuture(-3600) }),
    ],
  ])('%s is impossible: %s', async (_, __, settings, token) => {
    const app = await startEdge(settings);
    expect(await statusOf(app, token)).toBe(401);
    await app.close();
  });

  it.each<[string, string, NodeJS.ProcessEnv]>([
    ['GHSA-ww5h-9m49-7xx4', 'a public key after other text', { ...byKey, JWT_PUBLIC_KEY: `# ours\n${pem}` }],
    ['GHSA-ww5h-9m49-7xx4', 'a secret that holds a public key', { JWT_SECRET: `# ours\n${pem}` }],
    ['GHSA-g3jj-5cmm-3hxx', 'a secret that is a public JSON Web Key', { JWT_SECRET: jwk }],
    ['GHSA-g3jj-5cmm-3hxx', 'a secret that is a set of public keys', { JWT_SECRET: `{"keys":[${jwk}]}` }],
    ['GHSA-8wpc-h4q6-8fxv', 'no secret and no key', withoutSecret],
    [
      'GHSA-687g-22h4-j4w4',
      'a tolerance without an end',
      { ...byKey, JWT_CLOCK_TOLERANCE_SECONDS: 'Infinity' },
    ],
  ])('%s is impossible: programs do not start with %s', async (_, __, settings) => {
    await expect(startEdge(settings)).rejects.toThrow('JWT_');
  });

  it('GHSA-rp9m-7r4c-75qg is impossible: two tokens that differ only in the user are remembered as two users', async () => {
    const app = await startEdge(byKey);
    const tokens = ['u1', 'u2'].map((sub) => signed('RS256', privateKey, { sub, iss, exp }));
    for (const token of [...tokens, ...tokens])
      expect((await me(app, token)).json()).toMatchObject({ userId: token === tokens[0] ? 'u1' : 'u2' });
    await app.close();
  });

  it('GHSA-x937-hj6v-793p is impossible: a remembered token without a time of issue is refused once it has expired', async () => {
    const app = await startEdge(byKey);
    const token = signed('RS256', privateKey, { sub: 'u1', iss, exp });
    expect(await statusOf(app, token)).toBe(200);
    jest.spyOn(Date, 'now').mockReturnValue((exp + 1) * 1000);
    expect(await statusOf(app, token)).toBe(401);
    jest.restoreAllMocks();
    await app.close();
  });

  it.each([
    [
      'GHSA-cjw9-ghj4-fwxf',
      'an audience of 4,000 letters takes no time to refuse',
      `${'a'.repeat(4000)}!`,
      401,
    ],
    ['GHSA-3j8v-cgw4-2g6q', 'every second token of an audience is as valid as the first', '(a+)+$', 200],
  ])('%s is impossible, since no setting is a pattern: %s', async (_, __, aud, status) => {
    const app = await startEdge({ ...byKey, JWT_AUDIENCE: '(a+)+$' });
    const begun = performance.now();
    for (const sub of ['u1', 'u2', 'u3'])
      expect(await statusOf(app, signed('RS256', privateKey, { sub, iss, exp, aud }))).toBe(status);
    expect(performance.now() - begun).toBeLessThan(10_000);
    await app.close();
  });
});

describe('a token that was issued by the clock of another host', () => {
  it.each([
    ['is accepted late within the tolerance', { exp: -3 }, 200],
    ['is refused too late', { exp: -8 }, 401],
    ['is accepted early within the tolerance', { exp: 60, nbf: 3 }, 200],
    ['is refused too early', { exp: 60, nbf: 8 }, 401],
  ])('%s', async (_, offsets, status) => {
    const { publicKey, privateKey } = pairOf('EdDSA');
    const app = await startEdge({
      ...withoutSecret,
      JWT_PUBLIC_KEY: publicKey,
      JWT_CLOCK_TOLERANCE_SECONDS: '5',
    });
    const claims = Object.fromEntries(Object.entries(offsets).map(([name, s]) => [name, inFuture(s)]));
    const token = sign(privateKey, { alg: 'EdDSA', claims });
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
    first = pairOf('ES256');
    provider.publish({ kid: 'first', alg: 'ES256', ...inJwk(first.publicKey) });
    app = await startBy('ES256');
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await app.close();
    await provider.stop();
  });

  const startBy = (algorithm: Algorithm) =>
    startEdge({
      ...withoutSecret,
      JWT_JWKS_URL: provider.url,
      JWT_JWKS_ALGORITHM: algorithm,
      JWT_AUDIENCE: 'hongbao',
      JWT_ISSUER: 'https://issuer.example',
    });

  const claims = { aud: 'hongbao', iss: 'https://issuer.example' };
  const tokenOf = (sub: string, pair = first, kid: string | undefined = 'first', alg: Algorithm = 'ES256') =>
    sign(pair.privateKey, { alg, kid, claims: { ...claims, sub } });
  const move = (clock: typeof Date | typeof performance, seconds: number) =>
    jest.spyOn(clock, 'now').mockReturnValue(clock.now() + seconds * 1000);
  const later = (seconds: number) => move(performance, seconds);

  it.each(['RS256', 'PS256', 'EdDSA'] as const)('verifies %s as well', async (alg) => {
    const pair = pairOf(alg);
    provider.publish(inJwk(first.publicKey), { kid: 'k', ...inJwk(pair.publicKey) });
    const other = await startBy(alg);
    expect(await statusOf(other, tokenOf('u1', pair, 'k', alg))).toBe(200);
    expect(await statusOf(other, tokenOf('u2', pairOf(alg), 'k', alg))).toBe(401);
    await other.close();
  });

  it('needs names for its keys only if it has several', async () => {
    const unnamed = sign(first.privateKey, { alg: 'ES256', claims });
    expect(await statusOf(app, unnamed)).toBe(200);
    provider.publish(inJwk(first.publicKey), inJwk(pairOf('ES256').publicKey));
    later(301);
    expect(await statusOf(app, unnamed)).toBe(401);
  });

  it.each<[string, (pair: KeyPair) => JsonWebKey]>([
    ['encrypts', ({ publicKey }) => ({ ...inJwk(publicKey), use: 'enc' })],
    ['signs only', ({ publicKey }) => ({ ...inJwk(publicKey), key_ops: ['sign'] })],
    ['is of another algorithm', ({ publicKey }) => ({ ...inJwk(publicKey), alg: 'RS512' })],
    ['is private', ({ privateKey }) => createPrivateKey(privateKey).export({ format: 'jwk' })],
    ['is a secret', () => ({ kty: 'oct', k: 'c2VjcmV0' })],
    ['is garbage', () => ({ kty: 'RSA', n: '?' })],
    ['is too short', () => inJwk(pairOf('RS256', 1024).publicKey)],
  ])('is searched past a key that %s', async (_, keyOf) => {
    const pair = pairOf('RS256');
    provider.publish({ kid: 'k', ...keyOf(pair) });
    const other = await startBy('RS256');
    expect(await statusOf(other, tokenOf('u1', pair, 'k', 'RS256'))).toBe(401);
    await other.close();
  });

  it.each(['', '[]', '{}', '{"keys":{}}'])('that is malformed does not admit any user: %j', async (body) => {
    provider.body = body;
    expect(await statusOf(app, tokenOf('u1'))).toBe(503);
  });

  it('is not fetched for a token that it cannot validate', async () => {
    provider.fail();
    for (const token of [
      'abc.def.ghi',
      'abc',
      sign(pairOf('RS256').privateKey, { alg: 'RS256', kid: 'first' }),
    ])
      expect(await statusOf(app, token)).toBe(401);
    expect(provider.asked).toBe(0);
  });

  it('is fetched once for many users', async () => {
    const statuses = await Promise.all(Array.from({ length: 20 }, (_, i) => statusOf(app, tokenOf(`u${i}`))));
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(provider.asked).toBe(1);
  });

  it('is not fetched again for every token that names an unknown key', async () => {
    for (let i = 0; i < 10; i++)
      expect(await statusOf(app, tokenOf('u1', first, `no-such-key-${i}`))).toBe(401);
    expect(provider.asked).toBe(1);
  });

  it('may change: a new key is accepted once a token names it, and a withdrawn key for at most five minutes', async () => {
    const old = tokenOf('u1');
    expect(await statusOf(app, old)).toBe(200);
    const second = pairOf('ES256');
    provider.publish({ kid: 'second', ...inJwk(second.publicKey) });
    later(31);
    expect(await statusOf(app, tokenOf('u2', second, 'second'))).toBe(200);
    later(301);
    expect(await statusOf(app, old)).toBe(401);
  });

  it('and a remembered token do not grow younger if the clock of the host is set back', async () => {
    const old = tokenOf('u1');
    expect(await statusOf(app, old)).toBe(200);
    provider.publish({ kid: 'second', ...inJwk(pairOf('ES256').publicKey) });
    move(Date, -3600);
    later(301);
    expect(await statusOf(app, old)).toBe(401);
  });

  it('and a remembered token do not age if the clock of the host is set forward', async () => {
    const old = tokenOf('u1');
    expect(await statusOf(app, old)).toBe(200);
    provider.fail();
    move(Date, 1800);
    expect([await statusOf(app, old), await statusOf(app, tokenOf('u2'))]).toEqual([200, 200]);
    expect(provider.asked).toBe(1);
  });

  it('does not admit a remembered token after it has expired', async () => {
    const old = tokenOf('u1');
    expect(await statusOf(app, old)).toBe(200);
    move(Date, 3601);
    expect(await statusOf(app, old)).toBe(401);
  });

  describe('behind an open connection', () => {
    const reply = { header: () => reply };
    const connected = async (user: string) => {
      const token = tokenOf(user);
      const sessions = app.get(Sessions);
      const verified = await app.get(TokenVerifier).lookAt(token);
      const session = { caller: verified.caller, address: '', token, verified };
      return () => sessions.admit(session, 'request', reply, 1);
    };

    it('is fetched again for the first frame after five minutes, which is refused if the key was withdrawn', async () => {
      const frame = await connected('u1');
      await frame();
      provider.publish({ kid: 'second', ...inJwk(pairOf('ES256').publicKey) });
      await frame();
      later(301);
      await expect(frame()).rejects.toMatchObject({ code: 'auth.unauthenticated' });
    });

    it('the gateway refuses every frame once the key set has been unreachable for five minutes', async () => {
      const frame = await connected('u1');
      provider.fail();
      later(301);
      for (let i = 0; i < 3; i++)
        await expect(frame()).rejects.toMatchObject({ code: 'auth.keys_unavailable' });
    });
  });

  it.each([
    ['another audience', { aud: 'other' }],
    ['no audience', { aud: undefined }],
    ['another issuer', { iss: 'https://evil.example' }],
    ['no issuer', { iss: undefined }],
    ['no expiry', { exp: undefined }],
    ['an expired token', { exp: inFuture(-1) }],
  ])('answers 401 to %s', async (_, wrong) => {
    const token = sign(first.privateKey, { alg: 'ES256', kid: 'first', claims: { ...claims, ...wrong } });
    expect(await statusOf(app, token)).toBe(401);
  });

  it('stays in use while it is fresh and cannot be fetched, even if a token names an invented key', async () => {
    expect(await statusOf(app, tokenOf('u1'))).toBe(200);
    provider.fail();
    later(31);
    expect(await statusOf(app, tokenOf('u2', first, 'no-such-key'))).toBe(503);
    expect(await statusOf(app, tokenOf('u3'))).toBe(200);
    expect(await statusOf(app, tokenOf('u4', first, 'no-such-key'))).toBe(401);
  });

  it('that can no longer be fetched refuses all tokens that were not verified before, with 503 and its own code', async () => {
    const known = tokenOf('u1');
    expect(await statusOf(app, known)).toBe(200);
    provider.fail();
    later(301);
    const answer = await me(app, tokenOf('u2'));
    expect(answer.statusCode).toBe(503);
    expect(answer.headers['retry-after']).toBe('5');
    expect(answer.json()).toMatchObject({ code: 'auth.keys_unavailable' });
    expect(answer.body).not.toContain(provider.url);
    const { asked } = provider;
    for (let i = 3; i < 13; i++) expect(await statusOf(app, tokenOf(`u${i}`))).toBe(503);
    expect(provider.asked).toBe(asked);
  });
});

/** Publishes a key set as identity providers do. */
class IdentityProvider {
  asked = 0;
  body = '';
  private broken = false;

  private constructor(private readonly server: Server) {
    server.on('request', (_request, response) => {
      this.asked += 1;
      response.writeHead(this.broken ? 500 : 200, { 'content-type': 'application/json' });
      response.end(this.body);
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

  publish(...keys: JsonWebKey[]): void {
    this.body = JSON.stringify({ keys });
  }

  fail(): void {
    this.broken = true;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
