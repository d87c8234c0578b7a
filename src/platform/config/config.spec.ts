import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { type ConfigError, loadConfig, lookAlikes, SAMPLE_JWT_SECRET } from './index';
import { settingNames } from './look-alikes';

const required = {
  DATABASE_URL: 'postgres://app:hunter2@127.0.0.1/hongbao',
  REDIS_URL: 'redis://127.0.0.1:6379',
  JWT_SECRET: 'f4c2Nn0sY7q1-kPz8Vw3Xb6Tj9Lr5Ue2Md',
};

function faultsOf(env: NodeJS.ProcessEnv): string[] {
  try {
    loadConfig({ ...required, ...env });
  } catch (error) {
    return (error as ConfigError).faults;
  }
  return [];
}

const WITNESS = 'witness.example.com/w1+a0059f11+BAOhB7/zzhC+HXDdGOdLwJln5NYwm6UNXx3chmQSVTG4';

describe('configuration', () => {
  it('the key of a witness that was mistyped is named', () => {
    expect(loadConfig({ ...required, CLAIM_LOG_WITNESSES: WITNESS })).toMatchObject({
      CLAIM_LOG_WITNESSES: [WITNESS],
    });
    const mistyped = WITNESS.replace('+BAO', '+BAP');
    expect(faultsOf({ CLAIM_LOG_WITNESSES: `${WITNESS}, ${mistyped}` })).toEqual([
      expect.stringMatching(/^CLAIM_LOG_WITNESSES has the key "witness.*\+BAP.*", which was mistyped/),
    ]);
  });

  it('the three required variables are enough', () => {
    expect(loadConfig(required)).toMatchObject({ ...required, PORT: 3000, SHARD_COUNT: 16, CURRENCY: 'CNY' });
  });

  it('all faults are named at once, one line for each variable', () => {
    expect(() => loadConfig({ PORT: '3e3', JWT_SECRET: 'short' })).toThrow(
      expect.objectContaining({
        faults: [
          'PORT must be a whole number from 0 to 65535',
          'DATABASE_URL is missing',
          'REDIS_URL is missing',
          'JWT_SECRET must have at least 32 bytes',
        ],
      }),
    );
  });

  it('an empty variable counts as unset', () => {
    expect(faultsOf({ REDIS_URL: '' })).toEqual(['REDIS_URL is missing']);
    expect(loadConfig({ ...required, PORT: '', JWT_ISSUER: '' })).toMatchObject({ PORT: 3000 });
  });

  it.each([
    ['PORT', '70000'],
    ['PORT', '-1'],
    ['PORT', '0x10'],
    ['SHARD_COUNT', '0'],
    ['SHARD_COUNT', '1025'],
    ['DATABASE_URL', 'mysql://127.0.0.1/hongbao'],
    ['REDIS_URL', '127.0.0.1:6379'],
    ['CURRENCY', 'YUAN'],
    ['TIME_ZONE', 'Mars/Olympus'],
    ['CURRENCY', 'cny'],
    ['CURRENCY', 'CLF'],
    ['CURRENCY', 'XTS'],
    ['GRAB_ACK', 'both'],
    ['LOG_LEVEL', 'loud'],
    ['NODE_ENV', 'staging'],
    ['WEBHOOK_PRIVATE_ADDRESSES', '1'],
    ['WEBHOOK_ATTEMPTS_MAX', '0'],
    ['APPROVAL_ABOVE', '-1'],
    ['APPROVAL_ABOVE', '1e3'],
    ['APPROVAL_ABOVE', '0.001'],
    ['APPROVAL_ABOVE_DAILY', 'much'],
    ['TRUSTED_PROXIES', 'true'],
    ['TRUSTED_PROXIES', '0'],
    ['TRUSTED_PROXIES', '0.0.0.0/0'],
    ['TRUSTED_PROXIES', '10.0.0.0/8,example.com'],
  ])('%s=%s is refused', (name, value) => {
    expect(faultsOf({ [name]: value })).toEqual([expect.stringMatching(new RegExp(`^${name} must be `))]);
  });

  it.each([
    ['https://app.example/', 'has https://app.example/, which no browser sends: write https://app.example'],
    ['https://APP.example', 'has https://APP.example, which no browser sends: write https://app.example'],
    [
      'https://app.example:443',
      'has https://app.example:443, which no browser sends: write https://app.example',
    ],
    [
      'https://bücher.example',
      'has https://bücher.example, which no browser sends: write https://xn--bcher-kva.example',
    ],
    [
      'https://app.example/rain',
      'has https://app.example/rain, which no browser sends: write https://app.example',
    ],
    [
      'https://a.example,http://b.example?',
      'has http://b.example?, which no browser sends: write http://b.example',
    ],
    ['app.example', 'has "app.example", which is not an origin such as https://app.example'],
    ['', undefined],
    ['*', 'has *, which would let in every page: name your own origins'],
    ['null', 'has null, which any page can send: serve the page from an origin of its own'],
    ['file:///index.html', 'has null, which any page can send: serve the page from an origin of its own'],
    [
      'capacitor://localhost/',
      'has "capacitor://localhost/", which is not an origin such as https://app.example',
    ],
    ['capacitor://localhost,ionic://localhost,tauri://localhost,http://localhost:5173', undefined],
  ])('CORS_ORIGINS=%s: an origin that can never match is refused with the one that would', (text, fault) => {
    expect(faultsOf({ CORS_ORIGINS: text })).toEqual(fault === undefined ? [] : [`CORS_ORIGINS ${fault}`]);
  });

  it('APPROVAL_ABOVE is an amount in the digits of the currency', () => {
    expect(loadConfig({ ...required, APPROVAL_ABOVE: '10.50' }).APPROVAL_ABOVE).toBe('10.50');
    expect(faultsOf({ APPROVAL_ABOVE: '10.50', CURRENCY: 'JPY' })).toEqual([
      'APPROVAL_ABOVE must be an amount of CURRENCY, such as 1000, or of several, such as CNY=1000,COINS=50000',
    ]);
    for (const text of ['KWD=1.005,COINS=50000', '10.50,JPY=100'])
      expect(loadConfig({ ...required, APPROVAL_ABOVE: text }).APPROVAL_ABOVE).toBe(text);
    for (const text of ['CNY=1,1', 'JPY=1.5', 'coins=1', 'COINS', 'COINS=', '=1', '1,'])
      expect(faultsOf({ APPROVAL_ABOVE: text })).toHaveLength(1);
    expect(faultsOf({ APPROVAL_ABOVE: '10.50', CURRENCY: 'XYZ' })).toEqual([
      expect.stringContaining('CURRENCY must be'),
    ]);
  });

  describe('the place of Redis', () => {
    const { DATABASE_URL, JWT_SECRET } = required;
    const elsewhere = { DATABASE_URL, JWT_SECRET };
    const faults = (env: NodeJS.ProcessEnv) => faultsOf({ REDIS_URL: '', ...env });

    it('Redis is one server, the nodes of a cluster, or Sentinels with the name of their master', () => {
      const nodes = 'redis-1.internal:7000, 10.0.0.2:7001,[::1]:7002';
      expect(loadConfig({ ...elsewhere, REDIS_CLUSTER_NODES: nodes }).REDIS_CLUSTER_NODES).toEqual([
        { host: 'redis-1.internal', port: 7000 },
        { host: '10.0.0.2', port: 7001 },
        { host: '::1', port: 7002 },
      ]);
      const sentinels = { REDIS_SENTINELS: 'a:26379,b:26379', REDIS_SENTINEL_NAME: 'rain' };
      expect(loadConfig({ ...elsewhere, ...sentinels })).toMatchObject({ REDIS_SENTINEL_NAME: 'rain' });
    });

    it.each(['redis-1.internal', 'a:0', 'a:65536', 'a:6379,', ',', 'a b:6379', 'redis://a:6379', '::1:6379'])(
      '%j is refused as a list of addresses',
      (text) => {
        for (const name of ['REDIS_CLUSTER_NODES', 'REDIS_SENTINELS'])
          expect(faults({ [name]: text })[0]).toMatch(`${name} must be a comma separated list of addresses`);
      },
    );

    it('two places at once are refused, and so is a setting for a different place', () => {
      expect(faultsOf({ REDIS_CLUSTER_NODES: 'a:6379' })).toEqual([
        'REDIS_URL must be set alone, without REDIS_CLUSTER_NODES and REDIS_SENTINELS',
      ]);
      expect(faults({ REDIS_SENTINELS: 'a:26379' })).toEqual(['REDIS_SENTINEL_NAME is missing']);
      expect(faults({ REDIS_CLUSTER_NODES: 'a:6379', REDIS_SENTINEL_PASSWORD: 'hunter2' })).toEqual([
        'REDIS_SENTINEL_PASSWORD must not be set without REDIS_SENTINELS',
      ]);
      for (const [name, value] of Object.entries({ REDIS_PASSWORD: 'hunter2', REDIS_TLS: 'true' }))
        expect(faultsOf({ [name]: value })).toEqual([
          `${name} must not be set together with REDIS_URL, which contains it`,
        ]);
    });
  });

  it('trusted proxies are read as hops or as ranges', () => {
    expect(loadConfig({ ...required, TRUSTED_PROXIES: '2' }).TRUSTED_PROXIES).toBe(2);
    expect(loadConfig({ ...required, TRUSTED_PROXIES: '10.0.0.0/8, ::1' }).TRUSTED_PROXIES).toEqual([
      '10.0.0.0/8',
      '::1',
    ]);
  });

  it.each([SAMPLE_JWT_SECRET, 'x'.repeat(64)])('refuses the guessable secret %s in production', (secret) => {
    expect(faultsOf({ JWT_SECRET: secret })).toEqual([]);
    expect(faultsOf({ JWT_SECRET: secret, NODE_ENV: 'production' })).toEqual([
      'JWT_SECRET must be a random secret of your own in production',
    ]);
  });

  it('guests are admitted only if the API can sign their tokens, and never in production', () => {
    const env = { RAIN_GUESTS: 'true' };
    expect(loadConfig({ ...required, ...env }).RAIN_GUESTS).toBe(true);
    expect(faultsOf({ ...env, NODE_ENV: 'production' })).toEqual([
      'RAIN_GUESTS must not be true in production',
    ]);
    const keys = {
      JWT_SECRET: '',
      JWT_JWKS_URL: 'https://id.example/keys',
      JWT_AUDIENCE: 'a',
      JWT_ISSUER: 'i',
    };
    expect(faultsOf({ ...env, ...keys })).toEqual(['RAIN_GUESTS needs JWT_SECRET']);
  });

  it('the faults of a demo are allowed in a demo, and never in production', () => {
    const env = { DEMO_FAULTS_URL: 'http://127.0.0.1:1/secret' };
    expect(loadConfig({ ...required, ...env })).toMatchObject(env);
    expect(faultsOf({ ...env, NODE_ENV: 'production' })).toEqual([
      'DEMO_FAULTS_URL must not be set in production',
    ]);
  });

  it("the OpenID issuer and the console's client id are set together or not at all", () => {
    const env = { OIDC_ISSUER: 'https://id.example', OIDC_CLIENT_ID: 'console' };
    expect(loadConfig({ ...required, ...env })).toMatchObject(env);
    expect(faultsOf({ OIDC_ISSUER: env.OIDC_ISSUER })).toEqual(['OIDC_CLIENT_ID is missing']);
    expect(faultsOf({ OIDC_CLIENT_ID: env.OIDC_CLIENT_ID })).toEqual([
      'OIDC_CLIENT_ID must not be set without OIDC_ISSUER',
    ]);
    expect(faultsOf({ ...env, OIDC_SCOPE: 'profile' })).toEqual(['OIDC_SCOPE must include openid']);
    expect(faultsOf({ ...env, OIDC_ISSUER: 'http://id.example' })).toEqual([
      'OIDC_ISSUER must be a URL that starts with https://',
    ]);
  });

  it('names of roles belong to an issuer: tokens signed with our own secret have our own names', () => {
    const env = {
      JWT_SECRET: '',
      JWT_JWKS_URL: 'https://id.example/keys',
      JWT_ISSUER: 'i',
      JWT_AUDIENCE: 'a',
    };
    const roles = { JWT_ROLE_CLAIM: 'realm_access.roles', JWT_ROLE_NAMES: 'operator=Rain.Operator' };
    expect(loadConfig({ ...required, ...env, ...roles })).toMatchObject({
      JWT_ROLE_CLAIM: 'realm_access.roles',
      JWT_ROLE_NAMES: { 'Rain.Operator': 'operator' },
    });
    expect(faultsOf(roles)).toEqual([
      expect.stringContaining('JWT_ROLE_CLAIM must not be set together with JWT_SECRET'),
      expect.stringContaining('JWT_ROLE_NAMES must not be set together with JWT_SECRET'),
    ]);
    expect(faultsOf({ ...env, JWT_ROLE_NAMES: 'boss=B' })).toEqual([
      expect.stringMatching(/^JWT_ROLE_NAMES must be a comma separated list/),
    ]);
  });

  it('a variable that is one slip away from a setting is named, and other variables are not', () => {
    const slips = ['REDIS_ULR', 'JWT_SECRETS', 'DATABASE_UR', 'OIDC-ISSUER', 'JWT_JWK_URL'];
    const others = ['REDIS_URL', 'REDIS_PORT', 'PGPORT', 'PATH', 'PORT', 'JWT_SECRET_FILE', ''];
    const env = Object.fromEntries([...slips, ...others].map((name) => [name, 'x']));
    expect(lookAlikes(env)).toEqual([
      'REDIS_ULR is not a setting and has no effect. Did you mean REDIS_URL?',
      'JWT_SECRETS is not a setting and has no effect. Did you mean JWT_SECRET?',
      'DATABASE_UR is not a setting and has no effect. Did you mean DATABASE_URL?',
      'OIDC-ISSUER is not a setting and has no effect. Did you mean OIDC_ISSUER?',
      'JWT_JWK_URL is not a setting and has no effect. Did you mean JWT_JWKS_URL?',
    ]);
    expect(faultsOf({ REDIS_URL: '', REDIS_ULR: required.REDIS_URL })).toEqual([
      'REDIS_URL is missing',
      'REDIS_ULR is not a setting and has no effect. Did you mean REDIS_URL?',
    ]);
  });

  it('webhooks at private addresses are refused in production', () => {
    const env = { WEBHOOK_PRIVATE_ADDRESSES: 'true' };
    expect(loadConfig({ ...required, ...env }).WEBHOOK_PRIVATE_ADDRESSES).toBe(true);
    expect(faultsOf({ ...env, NODE_ENV: 'production' })).toEqual([
      'WEBHOOK_PRIVATE_ADDRESSES must not be true in production',
    ]);
  });

  it.each([
    ['DATABASE_URL', 'jdbc:postgresql://db/hongbao', 'and begins with jdbc:postgresql://'],
    ['DATABASE_URL', 'postgresql+asyncpg://u@db/hongbao', 'and begins with postgresql+asyncpg://'],
    ['DATABASE_URL', "psql 'postgres://u@db/hongbao'", 'and begins with psql'],
    ['DATABASE_URL', `'postgres://u@db/hongbao'`, 'and is in quotation marks: leave them out'],
    ['DATABASE_URL', ' postgres://u@db/hongbao', 'and begins with a space: leave it out'],
    ['DATABASE_URL', 'postgres://db/hongbao', 'names no user: write postgres://USER@HOST:PORT/DATABASE'],
    ['DATABASE_URL', 'postgres://u@db', 'names no database: write postgres://USER@HOST:PORT/DATABASE'],
    ['REDIS_URL', 'https://eu1.example', 'and begins with https://'],
    ['REDIS_URL', 'redis-cli --tls -u redis://h', 'and begins with redis-cli'],
    ['REDIS_URL', 'redis://h/x', 'must end with the number of a database, such as /0, or with none'],
  ])('%s=%s is refused with what was found', (name, value, found) => {
    const [fault, ...others] = faultsOf({ [name]: value });
    expect(fault!.endsWith(found)).toBe(true);
    expect(others).toEqual([]);
  });

  it.each([
    ['DATABASE_URL', 'postgres:///hongbao?host=/run/postgresql&user=app'],
    ['DATABASE_URL', 'postgres://app@/hongbao?host=/run/postgresql'],
    ['DATABASE_URL', 'postgresql://app:hunter2@db:5432/hongbao?sslmode=verify-full'],
    ['REDIS_URL', 'redis://default:hunter2@h:6379/1'],
    ['REDIS_URL', 'rediss://h'],
  ])('%s=%s is accepted', (name, value) => {
    expect(faultsOf({ [name]: value })).toEqual([]);
  });

  it('other variables of the environment are not kept', () => {
    expect(loadConfig({ ...required, AWS_SECRET_KEY: 'x' })).not.toHaveProperty('AWS_SECRET_KEY');
  });

  it('a refused value is never repeated', () => {
    const faults = faultsOf({ JWT_SECRET: 'tell-nobody', DATABASE_URL: 'http://app:hunter2@db' });
    expect(faults).toHaveLength(2);
    expect(faults.join()).not.toMatch(/tell-nobody|hunter2/);
  });
});

describe('.env.example', () => {
  const text = readFileSync(`${__dirname}/../../../.env.example`, 'utf8');
  const assignments = parseEnv(text.replace(/^# (?=[A-Z_]+=)/gm, ''));

  it('the file names every setting, each after a comment, and nothing else', () => {
    expect(Object.keys(assignments).sort()).toEqual(settingNames().sort());
    expect(text.match(/^# [^\n]+\n(# )?[A-Z_]+=/gm)).toHaveLength(Object.keys(assignments).length);
  });

  it('the file works unchanged and shows the defaults', () => {
    const shown = loadConfig(parseEnv(text));
    expect(loadConfig(assignments)).toEqual(shown);
    expect(shown.JWT_SECRET).toBe(SAMPLE_JWT_SECRET);
  });
});
