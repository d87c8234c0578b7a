import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { throwAwayDirectory } from './directory';
import { type Engine, type EngineOptions, retryStart, STOP_WITHIN_MS } from './engine';
import { stopOrphan } from './orphan';
import { ask, freePort } from './port';
import { Program } from './program';
import { type RedisBinary, redisBinary } from './redis-binaries';

const READY_WITHIN_MS = 60_000;

export interface RedisOptions extends EngineOptions {
  /** Flushes an append-only file every second; true unless the data is deleted at the end. */
  readonly appendOnly?: boolean;
  readonly port?: number;
  /** Lines of an ACL file, besides the default user. */
  readonly users?: readonly string[];
  /** Answers an error when a file may not grow (RLIMIT_FSIZE); else the signal ends it. */
  readonly survivesFileLimit?: boolean;
}

/** Only a process that ignores a signal can become a program that does. */
const IGNORING_FILE_LIMIT = ['sh', '-c', 'trap "" XFSZ; exec "$@"', 'sh'];

/** Starts a private Redis that never evicts. One that a killed run left there is stopped first. */
export async function startRedis(options: RedisOptions = {}): Promise<Engine> {
  const { localDir = '.local', clock } = options;
  const binary = await redisBinary(resolve(localDir), options.report);
  const dataDir = resolve(options.dataDir ?? throwAwayDirectory('redis'));
  mkdirSync(dataDir, { recursive: true });
  await stopOrphan({
    directory: dataDir,
    pidFile: join(dataDir, 'redis.pid'),
    programs: ['redis-server', 'valkey-server'],
  });
  const { program, port } = await retryStart(() => launch(binary, dataDir, options));
  void program.ended.then(() => clock?.forgetEngine(program.pid));
  return {
    url: `redis://127.0.0.1:${port}`,
    engine: binary.engine,
    pid: program.pid,
    dataDir,
    ended: program.ended,
    stop: () => program.stop(),
  };
}

async function launch(binary: RedisBinary, dataDir: string, options: RedisOptions) {
  const { users = [], clock, survivesFileLimit = false } = options;
  const isThrowAway = options.dataDir === undefined;
  const port = options.port ?? (await freePort());
  const [command, ...before] = [...(survivesFileLimit ? IGNORING_FILE_LIMIT : []), binary.command];
  const program = await Program.start({
    name: 'Redis',
    command,
    args: [
      ...before,
      ...settings(port, dataDir, options.appendOnly ?? !isThrowAway),
      ...users.flatMap((user) => ['--user', ...user.split(' ')]),
    ],
    env: { ...binary.env, ...clock?.env },
    logFile: join(dataDir, 'server.log'),
    cwd: dataDir,
    stopSignal: 'SIGTERM',
    stopWithinMs: STOP_WITHIN_MS,
    throwAwayDirectory: isThrowAway ? dataDir : undefined,
  });
  await program.ready(() => answers(port), READY_WITHIN_MS);
  return { program, port };
}

function settings(port: number, dataDir: string, appendOnly: boolean): string[] {
  const values = {
    port: String(port),
    bind: '127.0.0.1',
    dir: dataDir,
    pidfile: join(dataDir, 'redis.pid'),
    save: '',
    appendonly: appendOnly ? 'yes' : 'no',
    appendfsync: 'everysec',
    'maxmemory-policy': 'noeviction',
  };
  return Object.entries(values).flatMap(([name, value]) => [`--${name}`, value]);
}

async function answers(port: number): Promise<boolean> {
  return (await ask(port, 'PING\r\n')).startsWith('+PONG');
}
