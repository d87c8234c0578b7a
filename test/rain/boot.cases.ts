import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload, type SourceMapping } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Redis } from 'ioredis';
import { type Engine, freePort, Program } from '../../src/dev/engines';
import { runMigrations } from '../../src/platform/postgres/migrate';
import { schema } from '../../src/schema';
import { ClusterNode } from '../harness/cluster-node';
import { CONFIRM_ALL } from '../harness/confirm-functions';
import {
  createDatabase,
  databaseUrl,
  onServer,
  redisAppUrl,
  startTestRedis,
  type TestDatabase,
  waitFor,
} from '../harness/engines';
import type { Answer } from '../harness/client';
import { rain } from '../harness/shared-installation';
import { TcpProxy } from '../harness/tcp-proxy';

const addressOf = ({ url }: Engine): string => new URL(url).host;

/** Longer than the timeouts of a command and of a silent connection, in milliseconds. */
const LATE_MS = 9_000;

describe('a program', () => {
  it('waits for a Redis that answers later than a command may take, and then starts', async () => {
    const client = new Redis(rain.redisEngine.url);
    await client.client('PAUSE', LATE_MS, 'ALL');
    client.disconnect();
    const { program } = await rain.startAnother('main.js');
    await program.stop();
    expect(program.exitCode).toBe(0);
  });

  it('opens all connections that taps need before it serves, and none during taps', async () => {
    const activityId = await rain.createActivity({ packetCount: 20 });
    const { program, url } = await rain.startAnother('main.js');
    const { name } = await rain.row<{ name: string }>('select current_database() as name');
    await onServer(`alter database ${name} allow_connections false`);
    const tap = (i: number) => rain.user(`early-${i}`, url).post(`/v1/activities/${activityId}/grabs`);
    const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => tap(i))).finally(() =>
      onServer(`alter database ${name} allow_connections true`),
    );
    expect(answers.map(({ body }) => body.code)).toEqual(Array(20).fill('0'));
    await program.stop();
  });

  it('continues at SIGUSR1 and SIGUSR2 without a debugger, and exits with 0 when its terminal closes', async () => {
    const { program, url } = await rain.startAnother('worker.js');
    for (const signal of ['SIGUSR1', 'SIGUSR2'] as const) {
      process.kill(program.pid, signal);
      expect((await fetch(`${url}/health/ready`)).status).toBe(200);
    }
    process.kill(program.pid, 'SIGHUP');
    await program.ended;
    expect(program.exitCode).toBe(0);
    expect(program.output).not.toMatch(/debugger|inspector/i);
  });

  it.each(['main.js', 'worker.js'] as const)(
    '%s exits with 0 even if its connections to Postgres are half open',
    async (script) => {
      const { proxy, url: databaseUrl } = await TcpProxy.before(rain.database.appUrl);
      const settings = { DATABASE_URL: databaseUrl, SHUTDOWN_TIMEOUT_MS: '4000' };
      const { program, url } = await rain.startAnother(script, settings);
      proxy.halfOpen();
      const health = () => fetch(`${url}/health/dependencies`);
      await waitFor(async () => (await health()).status === 503, { what: 'a query without an answer' });
      await program.stop();
      expect(program.exitCode).toBe(0);
      await proxy.stop();
    },
  );
});

/** Both programs start through src/boot.ts, so each refusal is tested with one of them. */
describe('a program that should not start', () => {
  let database: TestDatabase;
  let redis: Engine;
  let logDir: string;

  beforeAll(async () => {
    [database, redis] = await Promise.all([createDatabase(), startTestRedis()]);
    logDir = mkdtempSync(join(tmpdir(), 'hongbao-boot-'));
  });

  afterAll(async () => {
    await Promise.all([database.drop(), redis.stop()]);
    rmSync(logDir, { recursive: true, force: true });
  });

  /** Starts a program and returns what it printed; fails unless it ends without success. */
  const refusal = async (
    env: NodeJS.ProcessEnv,
    script = 'main.js',
    dist = resolve('dist'),
    ...typed: string[]
  ): Promise<string> => {
    const program = await Program.start({
      name: script,
      command: process.execPath,
      args: [join(dist, script), ...typed],
      env: {
        PATH: process.env.PATH,
        NODE_ENV: 'test',
        LOG_LEVEL: 'fatal',
        DATABASE_URL: database.url,
        REDIS_URL: redis.url,
        JWT_SECRET: 'a-secret-for-tests-only-0123456789abcdef',
        PORT: String(await freePort()),
        WORKER_PORT: String(await freePort()),
        ...env,
      },
      logFile: join(logDir, 'boot.log'),
      cwd: logDir,
      stopSignal: 'SIGKILL',
      stopWithinMs: 1_000,
    });
    const stopped = setTimeout(() => void program.stop(), 120_000);
    await program.ended;
    clearTimeout(stopped);
    expect(program.exitCode).toBe(1);
    return program.output;
  };

  it.each<[string, string, NodeJS.ProcessEnv, string]>([
    ['worker.js', 'with a database that may forget commits', { NODE_ENV: 'development' }, 'fsync=off'],
    [
      'main.js',
      'without Postgres',
      { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' },
      'nothing listens at 127.0.0.1:1',
    ],
    ['worker.js', 'without Redis', { REDIS_URL: 'redis://127.0.0.1:1' }, 'REDIS_URL'],
  ])('%s does not start %s, and names it', async (script, _, env, named) => {
    expect(await refusal(env, script)).toContain(named);
  });

  it('does not start if text was sorted by another version of the collation', async () => {
    const { pathname } = new URL(database.url);
    const sortedBy = (version: string) =>
      onServer(`update pg_database set datcollversion = ${version} where datname = '${pathname.slice(1)}'`);
    await sortedBy(`'2.31'`);
    for (const script of ['main.js', 'worker.js'])
      expect(await refusal({}, script)).toContain('sorted by version 2.31 of its collation');
    await sortedBy('null');
  });

  it('does not start on a node of a cluster that is addressed as if it were alone', async () => {
    const node = await ClusterNode.start();
    for (const script of ['main.js', join('commands', 'verify.js')])
      expect(await refusal({ REDIS_URL: node.url }, script)).toContain(
        'REDIS_URL leads to a node of a Redis Cluster: name its nodes in REDIS_CLUSTER_NODES instead.',
      );
    await node.stop();
  });

  it.each<[string, () => NodeJS.ProcessEnv, string]>([
    [
      'a server that is not a cluster',
      () => ({ REDIS_CLUSTER_NODES: addressOf(redis) }),
      'REDIS_CLUSTER_NODES',
    ],
    [
      'a server that is not a Sentinel',
      () => ({ REDIS_SENTINELS: addressOf(redis), REDIS_SENTINEL_NAME: 'rain' }),
      'REDIS_SENTINELS',
    ],
  ])('does not start on %s, and names the setting', async (_, env, named) => {
    expect(await refusal({ REDIS_URL: '', ...env() })).toContain(`Redis (${named}) cannot be reached.`);
  });

  it('names each wrong setting, and does not print a secret that it refuses', async () => {
    const wrong = { JWT_SECRET: 'hunter2', PORT: 'many', GRAB_ACK: 'maybe', CURRENCY: 'CLF' };
    const output = await refusal(wrong);
    for (const name of Object.keys(wrong)) expect(output).toContain(name);
    expect(output).not.toContain('hunter2');
  });

  it('has a source map without the lines of packages, because Node reads all of it at the first stack trace', () => {
    const read = (name: string) => readFileSync(resolve('dist', name), 'utf8');
    const map = new SourceMap(JSON.parse(read('programs.js.map')) as SourceMapPayload);
    const lines = read('programs.js').split('\n');
    const entries = lines.map((_, i) => map.findEntry(i, 0) as Partial<SourceMapping>);
    const inPackages = entries.filter(({ originalSource = '' }) => /node_modules.*js$/.test(originalSource));
    expect(new Set(inPackages.map(({ originalLine }) => originalLine))).toEqual(new Set([0]));
    expect(entries.some(({ originalLine = 0 }) => originalLine > 0)).toBe(true);
  });

  it('needs no package except the build', async () => {
    const FILES = ['package.json', 'node-floor.js', 'start.js', 'programs.js', 'main.js', 'worker.js'];
    const built = join(logDir, 'built');
    for (const part of [...FILES, 'commands', 'libs', 'src'])
      cpSync(resolve('dist', part), join(built, part), { recursive: true });
    for (const script of [
      'main.js',
      'worker.js',
      join('commands', 'verify.js'),
      join('commands', 'shards.js'),
    ])
      expect(await refusal({ JWT_SECRET: '' }, script, built)).toContain('JWT_SECRET is missing');
    for (const script of [join('commands', 'migrate.js'), join('commands', 'archive.js')])
      expect(await refusal({ DATABASE_URL: '' }, script, built)).toMatch(/DATABASE_URL is (not set|missing)/);
  });

  it('runs the code of the build, not code compiled from another build of the same length', async () => {
    const built = join(logDir, 'rebuilt');
    for (const part of [
      'package.json',
      'node-floor.js',
      'programs.js.compiled',
      'start.js',
      'main.js',
      'libs',
      'src',
    ])
      cpSync(resolve('dist', part), join(built, part), { recursive: true });
    const programs = readFileSync(resolve('dist', 'programs.js'), 'utf8');
    writeFileSync(join(built, 'programs.js'), programs.replaceAll('DATABASE_URL', 'DATABASE_URI'));
    expect(await refusal({}, 'main.js', built)).toContain('DATABASE_URI is missing');
  });

  it('does not start on a schema that lacks a migration', async () => {
    const name = `empty_${process.pid}`;
    await onServer(`create database ${name}`);
    expect(await refusal({ DATABASE_URL: databaseUrl(name) })).toContain('npm run migrate');
    await onServer(`drop database ${name}`);
  });

  it('does not start on a newer schema that does not serve it, and names it', async () => {
    const newer = await createDatabase();
    await onServer(`insert into migrations (timestamp, name) values (1, 'FromTheFuture')`, newer.url);
    expect(await refusal({ DATABASE_URL: newer.appUrl }, 'worker.js')).toContain(
      'The database is newer than this program: it has FromTheFuture.',
    );
    await newer.drop();
  });

  it('does not start on a database that began with another migration, and says what to do', async () => {
    const former = await createDatabase();
    await onServer(`update migrations set name = 'CreateSetting', serves = null`, former.url);
    expect(await refusal({ DATABASE_URL: former.appUrl })).toContain('No release has made this database');
    await former.drop();
  });

  it('does not start on functions other than those it was built with', async () => {
    const changed = await createDatabase();
    await onServer(`alter function ${CONFIRM_ALL} reset all`, changed.url);
    expect(await refusal({ DATABASE_URL: changed.appUrl })).toContain(
      'The database lacks confirm/confirm.sql: run `npm run migrate` first.',
    );
    await changed.drop();
  });

  it.each(['verify', 'migrate'])('%s says how to start engines if none are configured', async (command) => {
    const unknown = { DATABASE_URL: '', REDIS_URL: '' };
    expect(await refusal(unknown, 'operate.js', resolve('dist', 'src', 'dev'), command)).toContain(
      'npm start does not run here',
    );
  });

  it('does not start on data of another shard count or another currency', async () => {
    const data = { DATABASE_URL: rain.database.url, REDIS_URL: rain.redisEngine.url };
    expect(await refusal({ ...data, SHARD_COUNT: '7' })).toContain('SHARD_COUNT');
    expect(await refusal({ ...data, CURRENCY: 'JPY' }, 'worker.js')).toContain('CURRENCY');
  });

  it.each(['main.js', join('commands', 'verify.js')])(
    '%s does not start on the Redis of another installation, and says so in one line',
    async (script) => {
      const foreign = { DATABASE_URL: database.appUrl, REDIS_URL: redisAppUrl(rain.redisEngine.url) };
      const output = await refusal(foreign, script);
      expect(output).toMatch(/^.*This Redis belongs to another installation\.$/m);
      expect(output.trim().split('\n')).toHaveLength(1);
    },
  );

  it('does not start on a Redis that would evict keys', async () => {
    const client = new Redis(redis.url);
    await client.config('SET', 'maxmemory-policy', 'allkeys-lru');
    expect(await refusal({})).toContain('noeviction');
    await client.config('SET', 'maxmemory-policy', 'noeviction');
    client.disconnect();
  });
});

describe('migrations', () => {
  it('run once if several hosts start them at the same time', async () => {
    const name = `raced_${process.pid}`;
    await onServer(`create database ${name}`);
    const url = databaseUrl(name);
    const done = await Promise.all([
      runMigrations(url, schema),
      runMigrations(url, schema),
      runMigrations(url, schema),
    ]);
    expect(done.filter((names) => names.length > 0)).toHaveLength(1);
    await onServer(`drop database ${name}`);
  });
});

describe('a program that receives SIGTERM under load', () => {
  it('loses no win that it has answered, exits with 0, and says how long it drained', async () => {
    const { program, url } = await rain.startAnother('main.js', { LOG_LEVEL: 'info' });
    const activityId = await rain.createActivity({ packetCount: 400 });
    const tap = (i: number): Promise<Answer | undefined> =>
      rain
        .user(`u${i}`, url)
        .post(`/v1/activities/${activityId}/grabs`)
        .catch(() => undefined);
    const taps = Array.from({ length: 400 }, (_, i) => tap(i));
    await Promise.race(taps);
    const stopped = program.stop();
    const answers = await Promise.all(taps);
    await stopped;
    expect(program.exitCode).toBe(0);
    expect(program.output).toMatch(/draining, for at most 8000 ms[^]+drained in \d+ ms/);

    const claims = await rain.sql<{ user_id: string }>('select user_id from claim where activity_id = $1', [
      activityId,
    ]);
    const known = new Set(claims.map((claim) => claim.user_id));
    const told = answers.flatMap((answer, i) => (answer?.body.code === '0' ? [`u${i}`] : []));
    expect(told.length).toBeGreaterThan(0);
    expect(told.filter((user) => !known.has(user))).toEqual([]);
  });
});
