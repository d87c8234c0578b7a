import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Engine } from '../../src/dev/engines';
import { SECRETS } from '../../libs/environment';
import { createDatabase, startTestRedis, type TestDatabase } from '../harness/engines';
import { JWT_SECRET } from '../harness/installation';

/** Needs escaping in a URL, in JSON and in a regular expression. */
const SECRET = 'p@ss/w#rd"%[1]';
const ESCAPED = encodeURIComponent(SECRET);
const SPELLINGS = [SECRET, ESCAPED, JSON.stringify(SECRET).slice(1, -1), 'w#rd', 'w%23rd'];

const NOWHERE = '127.0.0.1:1';

const KEYS = [
  'JWT_SECRET',
  'JWT_SECRET_PREVIOUS',
  'JWT_PUBLIC_KEY',
  'CLAIM_LOG_KEY',
  'CLAIM_LOG_KEY_PREVIOUS',
  'CODE_SEAL_KEY',
  'CODE_SEAL_KEY_PREVIOUS',
  'ERASURE_KEY',
  'ERASURE_KEY_PREVIOUS',
];

let database: TestDatabase;
let redis: Engine;

beforeAll(async () => {
  [database, redis] = await Promise.all([createDatabase(), startTestRedis()]);
});
afterAll(() => Promise.all([redis.stop(), database.drop()]));

/** Runs a program until it ends by itself. */
async function outputOf(script: string, env: NodeJS.ProcessEnv): Promise<string> {
  const child = spawn(process.execPath, [resolve('dist', script)], {
    env: {
      PATH: process.env.PATH,
      PORT: '0',
      WORKER_PORT: '0',
      LOG_LEVEL: 'debug',
      DATABASE_URL: database.appUrl,
      REDIS_URL: redis.url,
      JWT_SECRET,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return (await Promise.all([text(child.stdout), text(child.stderr)])).join('');
}

const redisWith = (user: string) => redis.url.replace('redis://', `redis://${user}:${ESCAPED}@`);
const postgresWith = (password: string, rest: string) => `postgres://nobody:${password}@${rest}`;
const host = () => new URL(database.url).host;

interface Fault {
  readonly what: string;
  /** The secrets among its settings. */
  readonly settings: readonly string[];
  readonly env: () => NodeJS.ProcessEnv;
  readonly script?: string;
}

/** Each secret among the settings, and each way in which it can fail. */
const FAULTS: readonly Fault[] = [
  {
    what: 'Redis does not know its user',
    settings: ['REDIS_URL'],
    env: () => ({ REDIS_URL: redisWith('ap') }),
  },
  {
    what: 'Redis refuses its password',
    settings: ['REDIS_URL'],
    env: () => ({ REDIS_URL: redisWith('') }),
    script: 'commands/verify.js',
  },
  {
    what: 'Redis does not know the user of its worker, and lines are objects',
    settings: ['REDIS_URL'],
    env: () => ({ NODE_ENV: 'production', REDIS_URL: redisWith('ap') }),
    script: 'worker.js',
  },
  {
    what: 'no Redis is there',
    settings: ['REDIS_URL'],
    env: () => ({ REDIS_URL: `redis://:${ESCAPED}@${NOWHERE}` }),
  },
  {
    what: 'a cluster refuses its password',
    settings: ['REDIS_PASSWORD'],
    env: () => ({
      REDIS_URL: '',
      REDIS_CLUSTER_NODES: new URL(redis.url).host,
      REDIS_USERNAME: 'ap',
      REDIS_PASSWORD: SECRET,
    }),
  },
  {
    what: 'a Sentinel refuses its password',
    settings: ['REDIS_SENTINEL_PASSWORD'],
    env: () => ({
      REDIS_URL: '',
      REDIS_SENTINELS: new URL(redis.url).host,
      REDIS_SENTINEL_NAME: 'rain',
      REDIS_SENTINEL_PASSWORD: SECRET,
    }),
  },
  {
    what: 'Postgres does not know its user',
    settings: ['DATABASE_URL'],
    env: () => ({ DATABASE_URL: postgresWith(ESCAPED, `${host()}/none`) }),
  },
  {
    what: 'no Postgres is there',
    settings: ['DATABASE_URL'],
    env: () => ({ DATABASE_URL: postgresWith(ESCAPED, `${NOWHERE}/none`) }),
    script: 'commands/archive.js',
  },
  {
    what: 'the password in its URL is not escaped',
    settings: ['DATABASE_URL'],
    env: () => ({ DATABASE_URL: postgresWith(SECRET, `${NOWHERE}/none`) }),
    script: 'commands/shards.js',
  },
  {
    what: 'its CA is not a file',
    settings: ['DATABASE_URL'],
    env: () => ({
      DATABASE_URL: postgresWith(ESCAPED, `${host()}/none?sslmode=verify-full&sslrootcert=/none`),
    }),
  },
  {
    what: 'its password is set twice',
    settings: ['DATABASE_PASSWORD'],
    env: () => ({ DATABASE_URL: 'postgres://a:b@h/d', DATABASE_PASSWORD: SECRET }),
  },
  {
    what: 'Postgres does not know the owner',
    settings: ['MIGRATION_DATABASE_URL'],
    env: () => ({ MIGRATION_DATABASE_URL: postgresWith(ESCAPED, `${host()}/none`) }),
    script: 'commands/migrate.js',
  },
  {
    what: 'the password of the owner has no URL',
    settings: ['MIGRATION_DATABASE_PASSWORD'],
    env: () => ({ MIGRATION_DATABASE_PASSWORD: SECRET }),
    script: 'commands/migrate.js',
  },
  {
    what: 'its keys are not what they should be',
    settings: KEYS,
    env: () => Object.fromEntries(KEYS.map((name) => [name, SECRET])),
  },
];

it.each(FAULTS)(
  'a program that ends because $what does not show any secret',
  async ({ env, script = 'main.js' }) => {
    const output = await outputOf(script, env());
    expect(output).not.toBe('');
    for (const spelling of SPELLINGS) expect(output).not.toContain(spelling);
  },
);

it('each secret among the settings is covered by the failures above', () => {
  expect(new Set(FAULTS.flatMap(({ settings }) => settings))).toEqual(new Set(SECRETS));
});
