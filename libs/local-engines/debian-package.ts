import { execFile } from 'node:child_process';
import { accessSync, constants, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const APT_TIMEOUT_MS = 180_000;

/** Whether packages of a distribution like Debian can be fetched and unpacked here. */
export const hasPackages = (): boolean =>
  ['apt-get', 'dpkg-deb'].every((program) => onPath(program) !== undefined);

/** Asks apt which packages this machine lacks to run the named one, and unpacks exactly those. Needs no privileges. */
export async function unpackPackage(draft: string, name: string): Promise<void> {
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
  // One unreachable third-party archive fails the update although the package comes from another one.
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

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
