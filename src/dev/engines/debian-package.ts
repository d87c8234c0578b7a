import { execFile } from 'node:child_process';
import { accessSync, constants, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { basename, delimiter, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { fillOnce } from './directory';

const run = promisify(execFile);
const APT_TIMEOUT_MS = 180_000;

/** Tells whether packages of a distribution like Debian can be fetched and unpacked here. */
export const hasPackages = (): boolean =>
  ['apt-get', 'dpkg-deb'].every((program) => onPath(program) !== undefined);

/** Debian's directory of servers, which is not in the path of users other than root. */
const SERVERS_DIRECTORY = '/usr/sbin';

export interface DistributedProgram {
  readonly command: string;
  /** The path of its libraries, as environment variables. */
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Returns a program of the distribution: an installed one, or else that of its package, unpacked
 * below `localDir` without being installed.
 *
 * @param file the path in the package
 * @throws Error with one line when neither is available
 */
export async function distributedProgram(
  localDir: string,
  packageName: string,
  file: string,
): Promise<DistributedProgram> {
  const name = basename(file);
  const installed = onPath(name) ?? executable(join(SERVERS_DIRECTORY, name));
  if (installed !== undefined) return { command: installed, env: process.env };
  const root = await unpackedPackage(localDir, packageName, name);
  if (root === undefined || !existsSync(join(root, file)))
    throw new Error(`No ${name} here: install the package ${packageName}.`);
  return unpackedProgram(root, file);
}

/**
 * Returns the directory below `localDir` with an unpacked package of the distribution; undefined
 * when it is not available.
 */
export async function unpackedPackage(
  localDir: string,
  packageName: string,
  name = packageName,
): Promise<string | undefined> {
  const root = join(resolve(localDir), 'engines', name);
  if (hasPackages())
    await fillOnce(root, (draft) => unpackPackage(draft, packageName)).catch(() => undefined);
  return existsSync(root) ? root : undefined;
}

/**
 * Returns a program of an unpacked package. It finds its libraries there, however deep they lie:
 * some packages keep their own in a subdirectory.
 */
export function unpackedProgram(root: string, file: string): DistributedProgram {
  const libraries = ['usr/lib', 'lib'].flatMap((directory) => librariesBelow(join(root, directory)));
  const directories = [...new Set(libraries.map((library) => dirname(library)))];
  return { command: join(root, file), env: { ...process.env, LD_LIBRARY_PATH: directories.join(':') } };
}

function librariesBelow(directory: string): string[] {
  if (!existsSync(directory)) return [];
  const files = readdirSync(directory, { recursive: true, encoding: 'utf8' });
  return files.filter((file) => /\.so(\.|$)/.test(file)).map((file) => join(directory, file));
}

/**
 * Asks apt which packages this machine lacks to run the named one, and unpacks exactly those. Needs
 * no privileges.
 */
async function unpackPackage(draft: string, name: string): Promise<void> {
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
  // One third-party archive that is out of reach fails the update although the package comes from
  // another one.
  await aptGet('update').catch(() => undefined);
  const { stdout } = await aptGet('install', '--simulate', '--no-install-recommends', name);
  const missing = [...stdout.matchAll(/^Inst (\S+)/gm)].map(([, found]) => found ?? '');
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

export function onPath(name: string): string | undefined {
  const candidates = (process.env.PATH ?? '').split(delimiter).map((directory) => join(directory, name));
  return candidates.find(isExecutable);
}

const executable = (path: string): string | undefined => (isExecutable(path) ? path : undefined);

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
