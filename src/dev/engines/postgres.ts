import { execFile } from 'node:child_process';
import { chmodSync, chownSync, readFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { enterable, fillOnce, throwAwayDirectory, unprivileged } from './directory';
import { type Engine, type EngineOptions, retryStart, STOP_WITHIN_MS } from './engine';
import { stopOrphan } from './orphan';
import { freePort } from './port';
import { postgresBinaries } from './postgres-binaries';
import { Program } from './program';
import { sharedBuffersMib } from './shared-buffers';

const run = promisify(execFile);
const READY_WITHIN_MS = 60_000;
const ENVIRONMENT = { LC_ALL: 'C', TZ: 'UTC', PATH: process.env.PATH };

export interface PostgresOptions extends EngineOptions {
  /** false: a power loss may destroy the data, which makes tests faster. A crash loses nothing. */
  readonly durable?: boolean;
  /** True: it may take a share of the memory, as the only Postgres there. */
  readonly alone?: boolean;
  /** Its children may continue writing for a moment. Default: {@link STOP_WITHIN_MS}. */
  readonly stopWithinMs?: number;
}

/**
 * Starts a private PostgreSQL with one superuser and the database `postgres`, without passwords. An
 * engine that a killed run left there is stopped first.
 */
export async function startPostgres(options: PostgresOptions = {}): Promise<Engine> {
  const { localDir = '.local', durable = true, clock } = options;
  const { bin, version } = await postgresBinaries(resolve(localDir));
  const temporary =
    options.dataDir === undefined ? throwAwayDirectory('postgres', { inMemory: !durable }) : undefined;
  const wanted = resolve(options.dataDir ?? join(temporary ?? '', 'data'));
  const dataDir = join(enterable(dirname(wanted)), basename(wanted));
  await fillOnce(dataDir, (draft) => createCluster(bin, draft, durable));
  requireMajor(dataDir, version);
  await stopOrphan({ directory: dataDir, pidFile: join(dataDir, 'postmaster.pid'), programs: ['postgres'] });
  const { program, port } = await retryStart(() => launch(bin, dataDir, options, temporary));
  void program.ended.then(() => clock?.forgetEngine(program.pid));
  return {
    url: `postgres://hongbao@127.0.0.1:${port}/postgres`,
    engine: `PostgreSQL ${version.split('-')[0]}`,
    pid: program.pid,
    dataDir,
    ended: program.ended,
    stop: () => program.stop(),
  };
}

/** @throws Error with one line when another major version has written the data */
function requireMajor(dataDir: string, version: string): void {
  const written = readFileSync(join(dataDir, 'PG_VERSION'), 'utf8').trim();
  const [major] = version.split('.');
  if (written !== major)
    throw new Error(
      `The data in ${dataDir} is of PostgreSQL ${written}, and this is ${major}: dump it with the old version and load it here, or delete the directory.`,
    );
}

async function createCluster(bin: string, draft: string, durable: boolean): Promise<void> {
  chmodSync(draft, 0o700);
  const { uid, gid } = unprivileged;
  if (uid !== undefined && gid !== undefined) chownSync(draft, uid, gid);
  const args = ['-D', draft, '-U', 'hongbao', '--auth=trust', '-E', 'UTF8', '--locale=C'];
  const options = { ...unprivileged, cwd: draft, env: ENVIRONMENT };
  await run(join(bin, 'initdb'), durable ? args : [...args, '--no-sync'], options).catch(failedInitdb);
}

function failedInitdb(cause: Error & { stderr?: string }): never {
  const fault = cause.stderr?.split('\n').find((line) => /fatal|error:/i.test(line)) ?? cause.message;
  throw new Error(`PostgreSQL could not make its data directory: ${fault}`, { cause });
}

async function launch(bin: string, dataDir: string, options: PostgresOptions, temporary?: string) {
  const { clock, stopWithinMs = STOP_WITHIN_MS } = options;
  const port = await freePort();
  const program = await Program.start({
    name: 'PostgreSQL',
    command: join(bin, 'postgres'),
    args: ['-D', dataDir, '-p', String(port), ...settings(options).flatMap((setting) => ['-c', setting])],
    env: { ...ENVIRONMENT, ...clock?.env },
    logFile: join(dataDir, 'server.log'),
    cwd: dataDir,
    user: unprivileged,
    stopSignal: 'SIGINT',
    stopWithinMs,
    throwAwayDirectory: temporary,
  });
  await program.ready(() => acceptsConnections(dataDir, program.pid), READY_WITHIN_MS);
  return { program, port };
}

function settings({ durable = true, alone = false }: PostgresOptions): string[] {
  return [
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'max_connections=200',
    'timezone=UTC',
    'log_timezone=UTC',
    ...(durable ? [] : ['fsync=off', 'full_page_writes=off']),
    ...(alone ? [`shared_buffers=${sharedBuffersMib()}MB`] : []),
  ];
}

/**
 * The last line of this file is the state; the port is open long before recovery is over. A starting server
 * may at any moment remove the file of a killed server.
 */
function acceptsConnections(dataDir: string, pid: number): boolean {
  const lines = textOf(join(dataDir, 'postmaster.pid')).split('\n');
  return lines[0] === String(pid) && ['ready', 'standby'].includes(lines[7]?.trim() ?? '');
}

/** Empty while there is no such file. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}
