import { chownSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { examine } from '../../src/commands/doctor/examine';
import { type Engine, freePort, startPostgres } from '../../src/dev/engines';
import { readEnvironment } from '../../libs/environment';
import { runMigrations } from '../../src/platform/postgres';
import { schema } from '../../src/schema';
import { ClusterNode } from '../harness/cluster-node';
import {
  createDatabase,
  databaseUrl,
  onServer,
  redisAppUrl,
  startTestRedis,
  type TestDatabase,
  waitFor,
} from '../harness/engines';
import { JWT_SECRET } from '../harness/installation';
import { localhostCertificate } from '../harness/localhost-certificate';

const localDir = process.env.LOCAL_DIR || '.local';

let database: TestDatabase;
let redis: Engine;
let tlsPostgres: Engine;
let tlsRedisPort: number;
let node: ClusterNode;
let directory: string;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'hongbao-doctor-'));
  [database, redis] = await Promise.all([createDatabase(), startTestRedis()]);
  tlsRedisPort = await freePort();
  [tlsPostgres, node] = await Promise.all([startTlsPostgres(), startTlsNode()]);
  await onServer('create role newcomer login');
});

afterAll(async () => {
  await Promise.all([redis.stop(), tlsPostgres.stop(), node.stop(), database.drop()]);
  await onServer('drop role newcomer');
  rmSync(directory, { recursive: true });
});

/** It signs its own certificate, asks one role for a password, and admits one role only over TLS. */
async function startTlsPostgres(): Promise<Engine> {
  const engine = await startPostgres({ localDir, durable: false });
  const { dataDir } = engine;
  const { uid, gid } = statSync(dataDir);
  for (const [name, text] of [
    ['server.crt', localhostCertificate.cert],
    ['server.key', localhostCertificate.key],
    [
      'pg_hba.conf',
      'hostssl all tlsonly all trust\nhost all hongbao all trust\nhost all asked all scram-sha-256\n',
    ],
  ] as const) {
    writeFileSync(join(dataDir, name), text, { mode: 0o600 });
    chownSync(join(dataDir, name), uid, gid);
  }
  const client = new Client({ connectionString: engine.url });
  await client.connect();
  await client.query(`create role asked login password 'right'`);
  await client.query('create role tlsonly login');
  await client.query('alter system set ssl = on');
  await client.query('select pg_reload_conf()');
  await waitFor(async () => (await client.query<{ ssl: string }>('show ssl')).rows[0]!.ssl === 'on', {
    what: 'TLS',
  });
  await client.end();
  return engine;
}

function startTlsNode(): Promise<ClusterNode> {
  const [cert, key] = ['cert.pem', 'key.pem'].map((name) => join(directory, name));
  writeFileSync(cert!, localhostCertificate.cert);
  writeFileSync(key!, localhostCertificate.key);
  return ClusterNode.start({
    settings: {
      'tls-port': String(tlsRedisPort),
      'tls-cert-file': cert!,
      'tls-key-file': key!,
      'tls-ca-cert-file': cert!,
      'tls-auth-clients': 'no',
    },
  });
}

/** Returns the lines of the findings, as a terminal shows them. */
async function linesOf(env: NodeJS.ProcessEnv): Promise<string[]> {
  const whole = {
    NODE_ENV: 'test',
    DATABASE_URL: database.appUrl,
    REDIS_URL: redisAppUrl(redis.url),
    JWT_SECRET,
    ...env,
  };
  const before = { ...process.env };
  for (const name of Object.keys(process.env))
    if (/^(DATABASE|REDIS|JWT|NODE_ENV|MIGRATION)/.test(name)) delete process.env[name];
  Object.assign(process.env, whole);
  const lines: string[] = [];
  try {
    for await (const { name, fault, fact } of examine(readEnvironment()))
      lines.push(`${fault === undefined ? 'ok' : 'FAULT'} ${name}: ${fault ?? fact}`);
  } finally {
    process.env = before;
  }
  return lines;
}

const faultsOf = async (env: NodeJS.ProcessEnv) =>
  (await linesOf(env)).filter((line) => line.startsWith('FAULT'));

const portOf = (url: string) => new URL(url).port;
const name = () => new URL(database.url).pathname.slice(1);
const at = (port: string | number, role: string, more = '') =>
  `postgres://${role}@127.0.0.1:${port}/postgres${more}`;
const tlsPort = () => portOf(tlsPostgres.url);

it('each correct engine and setting has one line, and nothing has to be changed', async () => {
  expect(await linesOf({ MIGRATION_DATABASE_URL: database.url })).toEqual([
    'ok settings: each has a valid value.',
    expect.stringMatching(
      new RegExp(
        `^ok Postgres: Postgres 18\\.\\d+, database ${name()} as hongbao_app; its schema is that of this program\\.$`,
      ),
    ),
    'ok owner: MIGRATION_DATABASE_URL leads to the role hongbao, which may migrate.',
    'ok Redis: one server, and no keys are removed when memory is full.',
  ]);
});

it('a role of the programs with another name is named with the command that grants its rights, until that has run', async () => {
  const env = { DATABASE_URL: databaseUrl(name(), 'newcomer'), DATABASE_ROLE: 'newcomer' };
  expect(await faultsOf(env)).toEqual([
    'FAULT Postgres: Role newcomer may not read the tables: run `npm run migrate` with DATABASE_ROLE=newcomer, which grants what programs need.',
  ]);
  await runMigrations(database.url, schema, { role: 'newcomer' });
  expect(await faultsOf(env)).toEqual([]);
  const nobody = runMigrations(database.url, schema, { role: 'nobody' });
  await expect(nobody).rejects.toThrow(
    'There is no role nobody, which DATABASE_ROLE names: create it first.',
  );
});

it('a proxy for outgoing calls is reported to have no effect', async () => {
  expect(await linesOf({ HTTPS_PROXY: 'http://proxy.internal:3128' })).toContain(
    'ok proxy: HTTPS_PROXY has no effect: key sets, webhooks, payouts and spans are sent directly, so let this host reach them.',
  );
});

it('a server that reports fsync=off is accepted if the platform is declared to keep commits', async () => {
  const env = { NODE_ENV: 'development' };
  expect(await faultsOf(env)).toEqual([
    'FAULT Postgres: Postgres runs with fsync=off. Postgres runs with full_page_writes=off. Money needs durable commits, and transactions that are read committed. If the platform keeps commits below Postgres, set DATABASE_FSYNC_BY_PLATFORM=true.',
  ]);
  expect(await faultsOf({ ...env, DATABASE_FSYNC_BY_PLATFORM: 'true' })).toEqual([]);
});

it('text that was sorted by another version of the collation is reported together with its remedy', async () => {
  const sortedBy = (version: string) =>
    onServer(`update pg_database set datcollversion = ${version} where datname = '${name()}'`);
  await sortedBy(`'2.31'`);
  const [line] = await faultsOf({});
  await sortedBy('null');
  expect(line).toMatch(
    /^FAULT Postgres: .* version 2\.31 .* Run `reindex database .*`, then `alter database /,
  );
});

type Wrong = readonly [what: string, env: () => NodeJS.ProcessEnv, fault: () => string];

const postgres = (port: string | number, role: string, db: string, said: string) =>
  `FAULT Postgres: Postgres (127.0.0.1:${port}, database ${db}, role ${role}) cannot be used: ${said}`;
const atRedis = (said: string) => `FAULT Redis: Redis (REDIS_URL) cannot be reached. At this address ${said}`;
const CA =
  'name the file of its CA in NODE_EXTRA_CA_CERTS, in the environment and not in .env, because Node reads it at its start.';

/** Settings as people have them, and the sentence that says what to set. */
const WRONG: readonly Wrong[] = [
  [
    'a password with @, / and # in a URL',
    () => ({ DATABASE_URL: 'postgres://u:p@ss/w#rd@host/db' }),
    () => 'FAULT settings: DATABASE_URL has "@" and "/" and "#" in its password: write %40 and %2F and %23.',
  ],
  [
    'a password with % in a URL',
    () => ({ REDIS_URL: 'redis://:100%sure@host' }),
    () => 'FAULT settings: REDIS_URL has "%" in its password: write %25.',
  ],
  [
    'a password with ? in a URL',
    () => ({ REDIS_URL: 'redis://:why?@host' }),
    () => 'FAULT settings: REDIS_URL has "?" in its password: write %3F.',
  ],
  [
    'several hosts in a URL',
    () => ({ DATABASE_URL: 'postgres://u:p@a:5432,b:5432/db' }),
    () =>
      'FAULT settings: DATABASE_URL names several servers, and the driver connects to one: name the address that follows the primary.',
  ],
  [
    'sslmode=allow',
    () => ({ DATABASE_URL: `${database.appUrl}?sslmode=allow` }),
    () =>
      'FAULT settings: DATABASE_URL has sslmode=allow: use verify-full, or one of disable, no-verify, prefer, require, verify-ca, verify-full.',
  ],
  [
    'a database that is not there',
    () => ({ DATABASE_URL: databaseUrl('none') }),
    () =>
      postgres(
        portOf(database.url),
        'hongbao',
        'none',
        'it has no database none: create it, or correct the name in the URL.',
      ),
  ],
  [
    'a port where nothing listens',
    () => ({ DATABASE_URL: at(1, 'app') }),
    () =>
      postgres(1, 'app', 'postgres', 'nothing listens at 127.0.0.1:1: start it, or correct host and port.'),
  ],
  [
    'a password that Postgres refuses',
    () => ({ DATABASE_URL: at(tlsPort(), 'asked:wrong') }),
    () =>
      postgres(
        tlsPort(),
        'asked',
        'postgres',
        'it refuses the password of role asked (a URL writes @ as %40, : as %3A, / as %2F, # as %23, ? as %3F and % as %25).',
      ),
  ],
  [
    'no password where Postgres asks for one',
    () => ({ DATABASE_URL: at(tlsPort(), 'asked') }),
    () =>
      postgres(
        tlsPort(),
        'asked',
        'postgres',
        'it asks for a password, and the URL has none: add it, or set DATABASE_PASSWORD.',
      ),
  ],
  [
    'no TLS for a role that needs it',
    () => ({ DATABASE_URL: at(tlsPort(), 'tlsonly') }),
    () =>
      postgres(
        tlsPort(),
        'tlsonly',
        'postgres',
        'it lets role tlsonly in over TLS only: add sslmode=verify-full to the URL.',
      ),
  ],
  [
    'TLS to a Postgres with a CA of its own',
    () => ({ DATABASE_URL: at(tlsPort(), 'hongbao', '?sslmode=verify-full') }),
    () =>
      postgres(
        tlsPort(),
        'hongbao',
        'postgres',
        `127.0.0.1:${tlsPort()} has a self-signed certificate: ${CA}`,
      ),
  ],
  [
    'TLS to a Postgres that has none',
    () => ({ DATABASE_URL: `${database.appUrl}?sslmode=require` }),
    () =>
      postgres(
        portOf(database.url),
        'hongbao_app',
        name(),
        'it does not speak TLS: set sslmode=disable in the URL.',
      ),
  ],
  [
    'the port of Redis as that of Postgres',
    () => ({ DATABASE_URL: at(portOf(redis.url), 'app') }),
    () =>
      postgres(
        portOf(redis.url),
        'app',
        'postgres',
        `127.0.0.1:${portOf(redis.url)} does not answer as it should, or ends the connection: check that it is the right port.`,
      ),
  ],
  [
    'a schema that is not there',
    () => ({ DATABASE_URL: at(portOf(database.url), 'hongbao') }),
    () =>
      expect.stringMatching(
        /^FAULT Postgres: The database lacks .*: run `npm run migrate` first\.$/,
      ) as string,
  ],
  [
    'an owner that may not create anything',
    () => ({ MIGRATION_DATABASE_URL: databaseUrl(name(), 'newcomer') }),
    () =>
      'FAULT owner: Role newcomer of MIGRATION_DATABASE_URL may not create tables: run `grant create on schema public to newcomer` as the owner of the database.',
  ],
  [
    'a password next to one in the URL',
    () => ({ DATABASE_URL: 'postgres://a:b@h/d', DATABASE_PASSWORD: 'tomato-1' }),
    () =>
      'DATABASE_PASSWORD needs a DATABASE_URL that names the user and no password, such as postgres://hongbao@db/hongbao.',
  ],
  [
    'a user that Redis does not know',
    () => ({ REDIS_URL: redis.url.replace('//', '//ap:tomato-2@') }),
    () => atRedis('it refuses this user or password: correct them, or create the user there.'),
  ],
  [
    'rediss:// to a plain port',
    () => ({ REDIS_URL: redis.url.replace('redis:', 'rediss:') }),
    () => atRedis(`127.0.0.1:${portOf(redis.url)} does not speak TLS, which the setting asks for.`),
  ],
  [
    'redis:// to a port of TLS',
    () => ({ REDIS_URL: `redis://127.0.0.1:${tlsRedisPort}` }),
    () => atRedis(`127.0.0.1:${tlsRedisPort} speaks only TLS, and the setting does not ask for it.`),
  ],
  [
    'a Redis with a CA of its own',
    () => ({ REDIS_URL: `rediss://127.0.0.1:${tlsRedisPort}` }),
    () => atRedis(`127.0.0.1:${tlsRedisPort} has a self-signed certificate: ${CA}`),
  ],
  [
    'a port of Redis where nothing listens',
    () => ({ REDIS_URL: 'redis://127.0.0.1:1' }),
    () => atRedis('nothing listens at 127.0.0.1:1: start it, or correct host and port.'),
  ],
  [
    'a node of a cluster as if it were alone',
    () => ({ REDIS_URL: node.url }),
    () =>
      'FAULT Redis: REDIS_URL leads to a node of a Redis Cluster: name its nodes in REDIS_CLUSTER_NODES instead.',
  ],
];

it.each(WRONG)(
  '%s is named with what to change, in one line, and no line contains the password',
  async (_, env, fault) => {
    const lines = await faultsOf(env()).catch((error: Error) => [error.message]);
    expect(lines).toEqual([fault()]);
    expect(lines.join()).not.toContain('tomato');
  },
);

it('a separate password is used with every character that a URL would need escaped', async () => {
  const client = new Client({ connectionString: tlsPostgres.url });
  await client.connect();
  await client.query(`alter role asked password 'p@ss/w#rd%?:'`);
  await client.end();
  const [line] = await faultsOf({ DATABASE_URL: at(tlsPort(), 'asked'), DATABASE_PASSWORD: 'p@ss/w#rd%?:' });
  expect(line).toMatch(/^FAULT Postgres: The database lacks /);
});

describe('an identity provider and a collector', () => {
  const server = createServer((request, response) => {
    const body = pages.get(request.url!);
    response.writeHead(body === undefined ? 401 : 200).end(body);
  });
  const pages = new Map<string, string>();
  let url: string;

  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    pages.set('/keys', JSON.stringify({ keys: [{ kty: 'EC', crv: 'P-384', x: 'x', y: 'y', alg: 'ES384' }] }));
    pages.set('/.well-known/openid-configuration', JSON.stringify({ issuer: `${url}/` }));
  });
  afterAll(() => server.close());

  it('an issuer that calls itself with a slash, keys of another algorithm and a collector that refuses are named', async () => {
    const env = {
      JWT_SECRET: '',
      JWT_JWKS_URL: `${url}/keys`,
      JWT_ISSUER: url,
      JWT_AUDIENCE: 'a',
      OTEL_EXPORTER_OTLP_ENDPOINT: url,
    };
    expect(await faultsOf(env)).toEqual([
      'FAULT key set: No key of JWT_JWKS_URL verifies RS256: it has ES384. Set JWT_JWKS_ALGORITHM.',
      `FAULT issuer: The issuer ${url} calls itself ${url}/: set JWT_ISSUER, and OIDC_ISSUER, to exactly that.`,
      `FAULT collector: ${url}/v1/traces answers 401: set its token in OTEL_EXPORTER_OTLP_HEADERS.`,
    ]);
  });
});
