import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { transformFileSync } from '@swc/core';
import { Redis } from 'ioredis';
import { Client } from 'pg';
import { unpackedProgram } from '../../src/dev/engines/debian-package';
import {
  type Engine,
  freePort,
  isPortFree,
  portFault,
  Program,
  startPostgres,
  startRedis,
} from '../../src/dev/engines';
import { guard } from '../../src/dev/engines/watchdog';
import { waitFor } from './engines';

const localDir = process.env.LOCAL_DIR || '.local';

let directory: string;
let started: Engine[];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'hongbao-engines-spec-'));
  chmodSync(directory, 0o755);
  started = [];
});

afterEach(async () => {
  await Promise.all(started.map((engine) => engine.stop()));
  rmSync(directory, { recursive: true, force: true });
});

async function redis(options: Parameters<typeof startRedis>[0] = {}): Promise<Engine> {
  const engine = await startRedis({ localDir, ...options });
  started.push(engine);
  return engine;
}

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<unknown[]>({ text: sql, rowMode: 'array' });
  await client.end();
  return rows.flat();
}

async function withClient<T>(url: string, use: (client: Redis) => Promise<T>): Promise<T> {
  const client = new Redis(url);
  try {
    return await use(client);
  } finally {
    client.disconnect();
  }
}

function isGone(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

describe('a private Redis', () => {
  it('never evicts, writes an append-only file and listens on loopback only', async () => {
    const { url } = await redis({ dataDir: join(directory, 'redis') });
    const settings = await withClient(url, (client) =>
      client.config('GET', 'maxmemory-policy', 'appendonly', 'appendfsync', 'bind', 'save'),
    );
    expect(settings).toEqual(
      expect.arrayContaining(['noeviction', 'appendonly', 'yes', 'appendfsync', 'everysec', '127.0.0.1']),
    );
  });

  it('takes the place of a server that a killed run left behind on the same data', async () => {
    const dataDir = join(directory, 'redis');
    const first = await redis({ dataDir });
    const second = await redis({ dataDir });
    await expect(first.ended).resolves.toMatch(/^Redis ended/);
    expect(second.pid).not.toBe(first.pid);
  });

  it('leaves alone a foreign process whose number is in its pid file', async () => {
    const dataDir = join(directory, 'redis');
    await (await redis({ dataDir })).stop();
    const stranger = spawn('sleep', ['60']);
    writeFileSync(join(dataDir, 'redis.pid'), `${stranger.pid}\n`);
    const { pid } = await redis({ dataDir });
    expect(isGone(stranger)).toBe(false);
    expect(readFileSync(join(dataDir, 'redis.pid'), 'utf8').trim()).toBe(String(pid));
    stranger.kill();
  });

  it('leaves no directory behind if its data is throw-away', async () => {
    const engine = await redis();
    expect(existsSync(engine.dataDir)).toBe(true);
    await engine.stop();
    expect(existsSync(engine.dataDir)).toBe(false);
  });

  it('says in one line why it cannot start', async () => {
    const dataDir = join(directory, 'redis');
    await (await redis({ dataDir })).stop();
    writeFileSync(join(dataDir, 'appendonlydir', 'appendonly.aof.manifest'), 'nonsense');
    await expect(startRedis({ localDir, dataDir })).rejects.toThrow(/^Redis ended with code 1: .+$/);
  });
});

describe('the lock of a data directory', () => {
  it('is given to only one of many processes that find it left behind by a dead process', async () => {
    const running = join(__dirname, '..', '..', 'dist', 'src', 'dev', 'local', 'running.js');
    const code = `const { DataDirLock } = require(process.argv[1]);
      process.stdin.on('end', () => process.exit());
      process.stdin.once('data', () => DataDirLock.take(process.argv[2])
        .then(() => console.log('taken'), (error) => console.log(error.message)));
      console.log('ready');`;
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, 'running.json'), JSON.stringify({ pid: 1, birth: 'long ago' }));
    const takers = Array.from({ length: 8 }, () => spawn('node', ['-e', code, running, directory]));
    const nextLine = (taker: (typeof takers)[number]) =>
      new Promise<string>((resolve) => taker.stdout.once('data', (text) => resolve(String(text).trim())));
    await Promise.all(takers.map(nextLine));
    const answers = takers.map(nextLine);
    for (const taker of takers) taker.stdin.write('now\n');
    const heard = await Promise.all(answers);
    for (const taker of takers) taker.stdin.end();
    expect(heard.filter((answer) => answer === 'taken')).toHaveLength(1);
    expect(heard.filter((answer) => answer.startsWith('Already running as process'))).toHaveLength(7);
  });
});

describe('a private Postgres', () => {
  it('says what to do with data of another major version', async () => {
    const dataDir = join(directory, 'postgres');
    await (await startPostgres({ localDir, dataDir, durable: false })).stop();
    writeFileSync(join(dataDir, 'PG_VERSION'), '9\n');
    await expect(startPostgres({ localDir, dataDir, durable: false })).rejects.toThrow(
      /is of PostgreSQL 9, and this is \d+: dump it/,
    );
  });

  it('is durable by default, listens on loopback only and keeps its data', async () => {
    const dataDir = join(directory, 'postgres');
    const first = await startPostgres({ localDir, dataDir });
    await query(first.url, 'create table kept as select 1 as one');
    await first.stop();
    const second = await startPostgres({ localDir, dataDir });
    started.push(second);
    const settings = `select current_setting('fsync'), current_setting('listen_addresses'), one from kept`;
    expect(await query(second.url, settings)).toEqual(['on', '127.0.0.1', 1]);
  });

  it('takes the place of a server that a killed run left behind on the same data', async () => {
    const dataDir = join(directory, 'postgres');
    const first = await startPostgres({ localDir, dataDir, durable: false });
    const second = await startPostgres({ localDir, dataDir, durable: false });
    started.push(second);
    await expect(first.ended).resolves.toMatch(/^PostgreSQL ended/);
    expect(await query(second.url, 'select 1')).toEqual([1]);
  });

  it('leaves alone a foreign process whose number is in its pid file', async () => {
    const dataDir = join(directory, 'postgres');
    const first = await startPostgres({ localDir, dataDir, durable: false });
    const pidFile = readFileSync(join(first.dataDir, 'postmaster.pid'), 'utf8');
    await first.stop();
    const stranger = spawn('sleep', ['60']);
    writeFileSync(join(first.dataDir, 'postmaster.pid'), pidFile.replace(/^\d+/, String(stranger.pid)));
    started.push(await startPostgres({ localDir, dataDir, durable: false }));
    expect(isGone(stranger)).toBe(false);
    stranger.kill();
  });

  it('works if two first runs unpack it at the same time', async () => {
    const both = await Promise.all([1, 2].map(() => startPostgres({ localDir: directory, durable: false })));
    started.push(...both);
    expect(await Promise.all(both.map(({ url }) => query(url, 'select 1')))).toEqual([[1], [1]]);
  });
});

describe('a program', () => {
  it('is stopped if its readiness cannot be read', async () => {
    const logFile = join(directory, 'sleep.log');
    const options = { name: 'sleep', command: 'sleep', args: ['60'], env: {}, logFile };
    const program = await Program.start({ ...options, stopSignal: 'SIGTERM', stopWithinMs: 1_000 });
    const unreadable = () => Promise.reject(new Error('the file is gone'));
    await expect(program.ready(unreadable, 10_000)).rejects.toThrow('the file is gone');
    expect(program.running).toBe(false);
  });
});

describe('a watchdog', () => {
  const stubborn = `process.on('SIGTERM', () => undefined); console.log('ready'); setInterval(() => {}, 1000)`;

  /** Starts a process that guards `pid`, from compiled text: Node cannot run TypeScript. */
  async function guardian(pid: number, throwAwayDirectory: string): Promise<ChildProcess> {
    const { code } = transformFileSync(join('src', 'dev', 'engines', 'watchdog.ts'), {
      module: { type: 'commonjs' },
    });
    writeFileSync(join(directory, 'watchdog.js'), code);
    const ward = JSON.stringify({ pid, signal: 'SIGTERM', throwAwayDirectory });
    const script = `require('./watchdog.js').guard(${ward}); console.log('guarding'); setInterval(() => {}, 1000)`;
    const child = spawn(process.execPath, ['-e', script], { cwd: directory });
    await once(child.stdout, 'data');
    return child;
  }

  it('ends a process and deletes its throw-away data if the process that started it is killed', async () => {
    const data = mkdtempSync(join(directory, 'data-'));
    const ward = spawn('sleep', ['60']);
    const parent = await guardian(ward.pid!, data);
    parent.kill('SIGKILL');
    await expect(once(ward, 'exit')).resolves.toEqual([null, 'SIGTERM']);
    await waitFor(() => !existsSync(data), { what: 'the data to be thrown away' });
  });

  it('kills a process that ignores SIGTERM', async () => {
    const ward = spawn(process.execPath, ['-e', stubborn]);
    await once(ward.stdout, 'data');
    const parent = await guardian(ward.pid!, '');
    parent.kill('SIGKILL');
    await expect(once(ward, 'exit')).resolves.toEqual([null, 'SIGKILL']);
  });

  it('does not touch a process that was released', async () => {
    const ward = spawn('sleep', ['60']);
    guard({ pid: ward.pid!, signal: 'SIGTERM' })();
    await once(ward, 'spawn');
    expect(isGone(ward)).toBe(false);
    ward.kill('SIGINT');
    await expect(once(ward, 'exit')).resolves.toEqual([null, 'SIGINT']);
  });
});

describe('a free port', () => {
  it('stays free until a process listens on it', async () => {
    const port = await freePort();
    expect(await isPortFree(port)).toBe(true);
    const { url } = await redis();
    expect(await portFault(Number(new URL(url).port))).toBe('is taken');
    await waitFor(() => isPortFree(port), { what: 'the port to be free again' });
  });

  it('is given to only one of many searches at the same moment', async () => {
    const [first, count] = [19_000, 20];
    const found = await Promise.all(Array.from({ length: count }, () => freePort(first, first + count)));
    expect(new Set(found).size).toBe(count);
  });
});

it('an unpacked program finds its libraries, including those that its package keeps separately', () => {
  const kept = ['usr/lib/machine/libone.so', 'usr/lib/machine/apart/libtwo-16.1.so', 'lib/libthree.so.3'];
  for (const file of [...kept, 'usr/lib/machine/notes/readme']) {
    mkdirSync(join(directory, file, '..'), { recursive: true });
    writeFileSync(join(directory, file), '');
  }
  const { command, env } = unpackedProgram(directory, 'usr/bin/it');
  expect(command).toBe(join(directory, 'usr/bin/it'));
  expect(env.LD_LIBRARY_PATH!.split(':').sort()).toEqual(
    ['lib', 'usr/lib/machine', 'usr/lib/machine/apart'].map((place) => join(directory, place)),
  );
});
