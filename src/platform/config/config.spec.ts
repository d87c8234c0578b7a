import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { getMetadataStorage } from 'class-validator';
import { AppConfig, ConfigError, loadConfig, SAMPLE_JWT_SECRET } from './index';

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

describe('configuration', () => {
  it('runs on the three required variables alone', () => {
    expect(loadConfig(required)).toMatchObject({ ...required, PORT: 3000, SHARD_COUNT: 16, CURRENCY: 'CNY' });
  });

  it('names every fault at once, one line a variable', () => {
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

  it('treats an empty variable as unset', () => {
    expect(faultsOf({ REDIS_URL: '' })).toEqual(['REDIS_URL is missing']);
    expect(loadConfig({ ...required, PORT: '', JWT_ISSUER: '' })).toMatchObject({ PORT: 3000 });
  });

  it.each([
    ['PORT', '70000'],
    ['PORT', '-1'],
    ['PORT', '0x10'],
    ['SHARD_COUNT', '0'],
    ['SHARD_COUNT', '100'],
    ['DATABASE_URL', 'mysql://127.0.0.1/hongbao'],
    ['REDIS_URL', '127.0.0.1:6379'],
    ['CURRENCY', 'YUAN'],
    ['CURRENCY', 'cny'],
    ['CURRENCY', 'KWD'],
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
  ])('refuses %s=%s', (name, value) => {
    expect(faultsOf({ [name]: value })).toEqual([expect.stringMatching(new RegExp(`^${name} must be `))]);
  });

  it('takes an amount above which approvals are needed in the digits of the currency', () => {
    expect(loadConfig({ ...required, APPROVAL_ABOVE: '10.50' }).APPROVAL_ABOVE).toBe('10.50');
    expect(faultsOf({ APPROVAL_ABOVE: '10.50', CURRENCY: 'JPY' })).toEqual([
      'APPROVAL_ABOVE must be an amount of CURRENCY, such as 1000',
    ]);
    expect(faultsOf({ APPROVAL_ABOVE: '10.50', CURRENCY: 'XYZ' })).toEqual([
      expect.stringContaining('CURRENCY must be'),
    ]);
  });

  it('reads trusted proxies as hops or as ranges', () => {
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

  it('refuses webhooks at private addresses in production', () => {
    const env = { WEBHOOK_PRIVATE_ADDRESSES: 'true' };
    expect(loadConfig({ ...required, ...env }).WEBHOOK_PRIVATE_ADDRESSES).toBe(true);
    expect(faultsOf({ ...env, NODE_ENV: 'production' })).toEqual([
      'WEBHOOK_PRIVATE_ADDRESSES must not be true in production',
    ]);
  });

  it('keeps nothing else from the environment', () => {
    expect(loadConfig({ ...required, AWS_SECRET_KEY: 'x' })).not.toHaveProperty('AWS_SECRET_KEY');
  });

  it('never repeats a value it refuses', () => {
    const faults = faultsOf({ JWT_SECRET: 'tell-nobody', DATABASE_URL: 'http://app:hunter2@db' });
    expect(faults).toHaveLength(2);
    expect(faults.join()).not.toMatch(/tell-nobody|hunter2/);
  });
});

describe('.env.example', () => {
  const text = readFileSync(`${__dirname}/../../../.env.example`, 'utf8');
  const assignments = parseEnv(text.replace(/^# (?=[A-Z_]+=)/gm, ''));

  it('names every setting, each after a comment, and nothing else', () => {
    const rules = getMetadataStorage().getTargetValidationMetadatas(AppConfig, '', true, false);
    const settings = new Set(rules.map(({ propertyName }) => propertyName));
    expect(Object.keys(assignments).sort()).toEqual([...settings].sort());
    expect(text.match(/^# [^\n]+\n(# )?[A-Z_]+=/gm)).toHaveLength(Object.keys(assignments).length);
  });

  it('works as it stands and shows the defaults', () => {
    const shown = loadConfig(parseEnv(text));
    expect(loadConfig(assignments)).toEqual(shown);
    expect(shown.JWT_SECRET).toBe(SAMPLE_JWT_SECRET);
  });
});
