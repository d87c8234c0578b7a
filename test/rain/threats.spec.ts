import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { type Algorithm, createSigner } from 'fast-jwt';
import { LEAK } from '../fuzz/judge';
import { onServer, redisAppUrl, waitFor } from '../harness/engines';
import { Installation, JWT_SECRET } from '../harness/installation';

const SECRET = Buffer.from(JWT_SECRET);
const JSON_TYPE = { 'content-type': 'application/json' };

const inFuture = (seconds = 3600) => Math.floor(Date.now() / 1000) + seconds;
const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

const signed = (claims: object, key: string | Buffer = SECRET, algorithm: Algorithm = 'HS256'): string =>
  createSigner({ key, algorithm })({ sub: 'u1', exp: inFuture(), ...claims });

const rsaKeys = () =>
  generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });

const tokenOf = (sub: string, role = 'user') => signed({ sub, role });

interface Request {
  readonly token?: string;
  readonly method?: 'GET' | 'POST';
  readonly body?: string | Buffer;
  readonly headers?: Record<string, string>;
}

/**
 * Sends exactly this. Fails when the answer reveals internals, or is neither a success nor a
 * problem.
 */
async function ask(url: string, { token, method = 'GET', body, headers }: Request = {}) {
  const authorization = token === undefined ? undefined : { authorization: `Bearer ${token}` };
  const response = await fetch(url, {
    method,
    body,
    headers: { ...authorization, ...headers },
  });
  const text = await response.text();
  for (const secret of [JWT_SECRET, token || JWT_SECRET]) expect(text).not.toContain(secret);
  expect(text).not.toMatch(LEAK);
  expect(text).not.toContain('eyJ');
  const type = response.ok ? 'application/json; charset=utf-8' : 'application/problem+json';
  expect([response.status, response.headers.get('content-type')]).toEqual([response.status, type]);
  return { status: response.status, headers: response.headers, text, body: JSON.parse(text) };
}

const post = (url: string, token: string, body?: object, key: string = randomUUID()) =>
  ask(url, {
    method: 'POST',
    token,
    headers: { 'idempotency-key': key, ...(body && JSON_TYPE) },
    body: body && JSON.stringify(body),
  });

/** The threats of docs/security.md, tried on the real program over real connections. */
describe('an attack on a running API', () => {
  let rain: Installation;
  let user: string;
  let operator: string;
  let activityId: string;

  beforeAll(async () => {
    rain = await Installation.start();
    [user, operator] = [tokenOf('u1'), tokenOf('boss', 'operator')];
    activityId = await rain.createActivity();
  });

  afterAll(() => rain.stop());

  const startApi = async (settings: NodeJS.ProcessEnv = {}): Promise<string> =>
    (await rain.startAnother('main.js', settings)).url;

  const grabsOf = (id = activityId) => `/v1/activities/${id}/grabs`;

  describe('with a token', () => {
    const forged = () => {
      const [header, , signature] = tokenOf('u1').split('.');
      return `${header}.${encode({ sub: 'u1', role: 'operator', exp: inFuture() })}.${signature}`;
    };
    const none = () => `${encode({ alg: 'none', typ: 'JWT' })}.${encode({ sub: 'u1', exp: inFuture() })}.`;

    it.each<[string, () => string | undefined]>([
      ['that is not a token', () => undefined],
      ['that is empty', () => ''],
      ['that is garbage', () => 'abc.def.ghi'],
      ['that has expired', () => signed({ exp: inFuture(-1) })],
      ['that never expires', () => signed({ exp: undefined })],
      ['of alg none', none],
      ['of another algorithm', () => signed({}, Buffer.concat([SECRET, SECRET]), 'HS512')],
      ['of another algorithm and our secret', () => signed({}, SECRET, 'HS384')],
      ['of another key', () => signed({}, Buffer.alloc(40, 'x'))],
      ['whose role was changed afterwards', forged],
      ['without a user', () => signed({ sub: undefined })],
      ['of a user with a line feed', () => signed({ sub: 'u1\nu2 1:1' })],
      ['of an unknown role', () => signed({ role: 'admin' })],
      ['of a list of roles', () => signed({ role: ['operator'] })],
    ])('%s is answered 401', async (_, make) => {
      const token = make();
      for (const [method, path] of [
        ['GET', '/v1/me/wallet'],
        ['GET', '/v1/audit-log'],
        ['POST', grabsOf()],
        ['POST', '/v1/activities'],
      ] as const) {
        const answer = await ask(rain.url + path, { method, token });
        expect(answer).toMatchObject({ status: 401, body: { status: 401, code: 'auth.unauthenticated' } });
        expect(answer.headers.get('www-authenticate')).toBe('Bearer');
      }
    });

    it('that was valid is refused from the moment it expires', async () => {
      const exp = inFuture(2);
      const token = signed({ exp });
      const statusOf = async () => (await ask(`${rain.url}/v1/me/wallet`, { token })).status;
      expect(await statusOf()).toBe(200);
      await waitFor(async () => (await statusOf()) === 401, { what: 'the token to expire' });
      expect(Date.now()).toBeGreaterThanOrEqual(exp * 1000);
    });
  });

  it('with a public key as secret, or a token for others, is answered 401', async () => {
    const { publicKey: pem, privateKey } = rsaKeys();
    const settings = { JWT_AUDIENCE: 'hongbao', JWT_ISSUER: 'https://id.example' };
    const url = await startApi({ JWT_SECRET: '', JWT_PUBLIC_KEY: pem, ...settings });
    const right = { aud: 'hongbao', iss: 'https://id.example' };
    const attempts: [string, number, string][] = [
      ['right', 200, signed(right, privateKey, 'RS256')],
      ['the key as secret', 401, signed(right, Buffer.from(pem))],
      ['the key as secret, trimmed', 401, signed(right, Buffer.from(pem.trim()))],
      ['a secret of ours', 401, signed(right)],
      ['another key', 401, signed(right, rsaKeys().privateKey, 'RS256')],
      ['another audience', 401, signed({ ...right, aud: 'other' }, privateKey, 'RS256')],
      ['no audience', 401, signed({ iss: right.iss }, privateKey, 'RS256')],
      ['another issuer', 401, signed({ ...right, iss: 'https://evil.example' }, privateKey, 'RS256')],
      ['no issuer', 401, signed({ aud: right.aud }, privateKey, 'RS256')],
    ];
    for (const [what, status, token] of attempts) {
      const answer = await ask(`${url}/v1/me/wallet`, { token });
      expect([what, answer.status]).toEqual([what, status]);
    }
  });

  describe('with a body', () => {
    const deep = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
    const huge = JSON.stringify({ name: 'x'.repeat(16 * 1024) });

    it.each<[string, number, () => string | Buffer, Record<string, string>]>([
      ['that is cut off', 400, () => '{"name":', JSON_TYPE],
      ['that is not JSON', 400, () => "{name: 'x'}", JSON_TYPE],
      ['that holds a NUL', 400, () => '{"name":"\0"}', JSON_TYPE],
      ['of __proto__', 400, () => '{"__proto__":{"role":"operator"}}', JSON_TYPE],
      ['of nested __proto__', 400, () => '{"split":{"__proto__":{"kind":"equal"}}}', JSON_TYPE],
      ['of constructor', 400, () => '{"constructor":{"prototype":{"role":"operator"}}}', JSON_TYPE],
      ['that is deep', 400, () => `{"split":${deep(7000)}}`, JSON_TYPE],
      ['of more than 16 KiB', 413, () => huge, JSON_TYPE],
      ['that is compressed', 400, () => gzipSync('{}'), { ...JSON_TYPE, 'content-encoding': 'gzip' }],
      ['of plain text', 415, () => '{}', { 'content-type': 'text/plain' }],
      ['of a form', 415, () => 'name=rain', { 'content-type': 'application/x-www-form-urlencoded' }],
      ['of a file', 415, () => '--x', { 'content-type': 'multipart/form-data; boundary=x' }],
      ['of XML', 415, () => '<!ENTITY x SYSTEM "file:///etc/passwd">', { 'content-type': 'text/xml' }],
      ['of nonsense', 415, () => '{}', { 'content-type': 'nonsense' }],
    ])('%s is answered %i', async (_, status, body, headers) => {
      for (const [path, token] of [
        ['/v1/activities', operator],
        ['/v1/wallets/u1/deposits', operator],
        [grabsOf(), user],
      ] as const) {
        const key = { 'idempotency-key': randomUUID() };
        const request = { method: 'POST', token, body: body(), headers: { ...key, ...headers } } as const;
        const answer = await ask(rain.url + path, request);
        expect(answer).toMatchObject({ status, body: { status } });
      }
      expect((await post(`${rain.url}/v1/wallets/u1/deposits`, user, { amount: '1.00' })).status).toBe(403);
      expect((await ask(`${rain.url}/v1/me/wallet`, { token: user })).body.balance).toBe('0.00');
    });
  });

  describe('by hammering', () => {
    const LIMIT = 30;

    it('two processes is counted by both together: the process that has admitted less than the limit answers 429', async () => {
      const settings = { RATE_LIMIT_USER_PER_SECOND: String(LIMIT) };
      const [here, there] = await Promise.all([startApi(settings), startApi(settings)]);
      const tap = (url: string, token: string) => post(url + grabsOf(), token);
      let users = 0;
      // Each attempt has a new user and sends fewer requests to `there` than the limit of one user,
      // so a 429 counts both processes.
      const look = async () => {
        const greedy = tokenOf(`greedy-${++users}`);
        await Promise.all(Array.from({ length: 2 * LIMIT }, () => tap(here, greedy)));
        for (let admitted = 0; admitted < LIMIT - 1; admitted++) {
          const answer = await tap(there, greedy);
          if (answer.status === 429) return answer;
          await tap(here, greedy);
        }
      };
      const refused = (await waitFor(look, { what: 'a refusal' }))!;
      expect(refused.body).toMatchObject({ code: 'rate_limited', status: 429 });
      expect(refused.headers.get('retry-after')).toBe('1');
      expect((await tap(there, tokenOf('patient'))).status).toBe(200);
    });

    /**
     * Each claimed address is new, so a refused client was not counted by the address that it
     * claims.
     */
    let clients = 0;
    const nextAddress = () => `203.0.${++clients >> 8}.${clients & 255}`;
    const fromManyAddresses = (url: string) => {
      const headers = () => ({ 'x-forwarded-for': nextAddress() });
      return Promise.all(Array.from({ length: 20 }, () => ask(`${url}/nowhere`, { headers: headers() })));
    };

    it('under false addresses is seen through, unless a trusted proxy reports them', async () => {
      const settings = { RATE_LIMIT_ADDRESS_PER_SECOND: '3' };
      const refusal = (answers: Awaited<ReturnType<typeof fromManyAddresses>>) =>
        answers.find(({ status }) => status === 429);
      const [open, proxied] = await Promise.all([
        startApi(settings),
        startApi({ ...settings, TRUSTED_PROXIES: '127.0.0.0/8' }),
      ]);
      expect(refusal(await fromManyAddresses(proxied))).toBeUndefined();
      const look = async () => refusal(await fromManyAddresses(open));
      const refused = (await waitFor(look, { what: 'a refusal' }))!;
      expect(refused.body.code).toBe('rate_limited');
      expect(refused.headers.get('retry-after')).toBe('1');
    });
  });

  describe('by sending again', () => {
    const plan = { name: 'Rain', sponsorId: 'rich', totalAmount: '1.00', packetCount: 1 };
    const window = { opensAt: new Date(), closesAt: new Date(Date.now() + 3_600_000) };
    const activity = { ...plan, ...window, split: { kind: 'equal' } };

    let elsewhere: string;

    beforeAll(async () => {
      elsewhere = await startApi();
      await post(`${rain.url}/v1/wallets/rich/deposits`, operator, { amount: '100.00' });
    });

    it.each<[string, string, object, object]>([
      ['a deposit', '/v1/wallets/again/deposits', { amount: '5.00' }, { amount: '6.00' }],
      ['a creation', '/v1/activities', activity, { ...activity, name: 'Storm' }],
    ])('%s has one effect, whichever process it is sent to', async (_, path, body, other) => {
      const deeds = async () => (await rain.sql('select id from transfer')).length;
      const before = await deeds();
      const key = randomUUID();
      const first = await post(rain.url + path, operator, body, key);
      expect([first.status, first.headers.get('idempotency-replayed')]).toEqual([201, null]);
      for (const url of [rain.url, elsewhere]) {
        const again = await post(url + path, operator, body, key);
        expect([again.status, again.text]).toEqual([201, first.text]);
        expect(again.headers.get('idempotency-replayed')).toBe('true');
        const changed = await post(url + path, operator, other, key);
        expect(changed).toMatchObject({ status: 422, body: { code: 'idempotency.mismatch' } });
      }
      const keyless = {
        method: 'POST',
        token: operator,
        headers: JSON_TYPE,
        body: JSON.stringify(body),
      } as const;
      const answer = await ask(rain.url + path, keyless);
      expect(answer).toMatchObject({ status: 400, body: { code: 'idempotency.key_missing' } });
      expect(await deeds()).toBe(before + 1);
    });

    it('while the first request is under way is answered 409', async () => {
      const key = randomUUID();
      const deposit = () => post(`${rain.url}/v1/wallets/twice/deposits`, operator, { amount: '5.00' }, key);
      await rain.sql('begin');
      await rain.sql('lock table transfer in share mode');
      const both = [deposit(), deposit()];
      const refused = await Promise.race(both);
      await rain.sql('rollback');
      expect(refused).toMatchObject({ status: 409, body: { code: 'idempotency.in_flight' } });
      expect(refused.headers.get('retry-after')).toBe('1');
      expect((await Promise.all(both)).map(({ status }) => status).sort()).toEqual([201, 409]);
      expect((await ask(`${rain.url}/v1/wallets/twice`, { token: operator })).body.balance).toBe('5.00');
    });
  });

  it('by grabbing too early or too late gets code -1 with the reason, and no packet', async () => {
    const early = await rain.createActivity({ opensInMs: 1_800_000 });
    const opensAt = expect.stringMatching(/Z$/);
    const grab = async (id: string, sub = 'hasty') => {
      const { status, body } = await post(rain.url + grabsOf(id), tokenOf(sub));
      return { status, ...body };
    };
    expect(await grab(early)).toEqual({ status: 200, code: '-1', reason: 'not-open', opensAt });
    const closed = await rain.createActivity();
    expect((await post(`${rain.url}/v1/activities/${closed}/close`, operator)).status).toBe(200);
    expect(await grab(closed)).toEqual({ status: 200, code: '-1', reason: 'closed' });
    const over = await rain.createActivity({ closesAt: new Date(Date.now() + 1_000).toISOString() });
    let users = 0;
    const late = () => grab(over, `late-${++users}`);
    await waitFor(async () => (await late()).reason === 'closed', { what: 'the end of the rain' });
    expect(await late()).toEqual({ status: 200, code: '-1', reason: 'closed' });
    for (const id of [early, closed])
      expect((await ask(rain.url + grabsOf(id), { token: operator })).body.items).toEqual([]);
  });

  describe('by a list', () => {
    const unknown = Buffer.from('after:1;drop table claim').toString('base64url');
    it.each([
      ['a billion items', 'limit', '1000000000'],
      ['a hundred million items', 'limit', '100000000'],
      ['a cursor of nonsense', 'cursor', 'nonsense'],
      ['a cursor that looks like one', 'cursor', unknown],
      ['a cursor without end', 'cursor', 'x'.repeat(5000)],
    ])('of %s is answered 400', async (_, field, value) => {
      const paths = ['activities', `activities/${activityId}/grabs`, 'audit-log', 'dead-letters'];
      for (const path of [...paths, 'me/packets', 'me/wallet/entries']) {
        const answer = await ask(`${rain.url}/v1/${path}?${field}=${value}`, { token: operator });
        expect(answer).toMatchObject({ status: 400, body: { errors: [{ field }] } });
      }
    });
  });
});

describe('what the programs print', () => {
  let rain: Installation;

  beforeAll(async () => {
    rain = await Installation.startWithWorker({ LOG_LEVEL: 'debug' });
  });

  afterAll(() => rain.stop());

  it('contains no token, secret or parameter, whatever fails', async () => {
    const database = new URL(rain.database.url).pathname.slice(1);
    const [user, operator] = [tokenOf('u1'), tokenOf('boss', 'operator')];
    const activityId = await rain.createActivity();
    const url = (path: string) => rain.url + path;
    const deposit = () => post(url('/v1/wallets/shy-one/deposits'), operator, { amount: '4321.09' });

    for (const path of [`/v1/me/wallet?access_token=${user}`, `/v1/${user}`, `/v1/activities/${user}`])
      expect([400, 404]).toContain((await ask(url(path), { token: user })).status);
    expect((await post(url('/v1/wallets/shy-one/deposits'), operator, { amount: operator })).status).toBe(
      400,
    );
    const headers = { 'x-request-id': user, 'idempotency-key': user };
    await ask(url('/v1/me/wallet'), { token: user, headers });

    await rain.sql(
      `create function boom() returns trigger language plpgsql as $$ begin raise 'boom'; end $$`,
    );
    await rain.sql(`create trigger boom before insert on transfer execute function boom()`);
    expect(await deposit()).toMatchObject({ status: 500, body: { code: 'internal' } });
    expect((await post(url(`/v1/activities/${activityId}/grabs`), user)).body.code).toBe('0');
    await waitFor(() => rain.worker!.output.includes('boom'), { what: 'the fault at the worker' });
    expect(rain.api.output).toContain('boom');

    await onServer(`alter database ${database} allow_connections false`);
    await onServer(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${database}' and application_name = 'hongbao'`,
    );
    const away = [deposit(), ask(url('/v1/me/wallet'), { token: user })];
    expect((await Promise.all(away)).map(({ status }) => status)).toEqual([503, 503]);
    const refused = `database "${database}" is not currently accepting connections`;
    await waitFor(() => rain.worker!.output.includes(refused), { what: 'the outage at the worker' });
    await onServer(`alter database ${database} allow_connections true`);

    const { password } = new URL(redisAppUrl(rain.redisEngine.url));
    await Promise.all([rain.api.stop(), rain.worker!.stop()]);
    const secrets = [JWT_SECRET, password, rain.database.appUrl, 'eyJ', 'shy-one', '4321.09', '432109'];
    for (const { output } of [rain.api, rain.worker!])
      expect(secrets.filter((secret) => output.includes(secret))).toEqual([]);
  });
});
