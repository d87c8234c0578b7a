import { execFile } from 'node:child_process';
import { accessSync, constants, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { fillOnce } from './directory';

const run = promisify(execFile);
const APT_TIMEOUT_MS = 180_000;
const SERVERS = ['redis-server', 'valkey-server'];

export interface RedisBinary {
  readonly command: string;
  readonly env: NodeJS.ProcessEnv;
  readonly engine: string;
}

/**
 * An installed server, else the distribution's own package unpacked below `localDir`.
 *
 * @throws Error with one line when neither is to be had
 */
export async function redisBinary(
  localDir: string,
  report: (line: string) => void = () => undefined,
): Promise<RedisBinary> {
  const command = SERVERS.map(onPath).find((path) => path !== undefined);
  if (command !== undefined) return { command, env: process.env, engine: command };
  const unpacked = await unpackedRedis(join(localDir, 'engines', 'redis'), report);
  if (unpacked !== undefined) return unpacked;
  throw new Error('No Redis here: install the package redis-server (or valkey-server), or set REDIS_URL.');
}

async function unpackedRedis(root: string, report: (line: string) => void): Promise<RedisBinary | undefined> {
  if (!['apt-get', 'dpkg-deb'].every(onPath)) return undefined;
  if (!existsSync(root)) {
    report('Fetching Redis from the distribution (unpacked privately, nothing is installed)…');
    const fetched = await fillOnce(root, unpack).then(
      () => true,
      () => false,
    );
    if (!fetched) return undefined;
  }
  const binary = unpackedBinary(root);
  await run(binary.command, ['--version'], { env: binary.env });
  return binary;
}

/** Asks apt which packages are missing here for `redis-server` to run, and unpacks exactly those. Needs no privilege. */
async function unpack(draft: string): Promise<void> {
  const apt = join(draft, 'apt');
  for (const directory of ['lists/partial', 'cache/archives/partial', 'packages'])
    mkdirSync(join(apt, directory), { recursive: true });
  const aptGet = (...args: string[]) =>
    run('apt-get', [...privateApt(apt), '-qq', ...args], {
      cwd: join(apt, 'packages'),
      env: { ...process.env, LC_ALL: 'C' },
      timeout: APT_TIMEOUT_MS,
      maxBuffer: Infinity,
    });
  // One unreachable third-party archive fails the update although Redis comes from another one.
  await aptGet('update').catch(() => undefined);
  const { stdout } = await aptGet('install', '--simulate', '--no-install-recommends', 'redis-server');
  const missing = [...stdout.matchAll(/^Inst (\S+)/gm)].map(([, name]) => name ?? '');
  await aptGet('download', ...missing);
  for (const file of readdirSync(join(apt, 'packages')))
    await run('dpkg-deb', ['--extract', join(apt, 'packages', file), draft]);
  rmSync(apt, { recursive: true, force: true });
}

function privateApt(directory: string): string[] {
  const options = [
    `Dir::State::lists=${directory}/lists`,
    `Dir::Cache=${directory}/cache`,
    'APT::Sandbox::User=',
    'Debug::NoLocking=1',
    'Acquire::Languages=none',
    'Acquire::Retries=2',
  ];
  return options.flatMap((option) => ['-o', option]);
}

function unpackedBinary(root: string): RedisBinary {
  const libraries = ['usr/lib', 'lib'].flatMap((directory) => subdirectories(join(root, directory)));
  return {
    command: join(root, 'usr', 'bin', 'redis-server'),
    env: { ...process.env, LD_LIBRARY_PATH: libraries.join(':') },
    engine: 'Redis of the distribution',
  };
}

function subdirectories(directory: string): string[] {
  if (!existsSync(directory)) return [];
  const entries = readdirSync(directory, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map((entry) => join(directory, entry.name));
}

function onPath(name: string): string | undefined {
  const candidates = (process.env.PATH ?? '').split(delimiter).map((directory) => join(directory, name));
  return candidates.find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
