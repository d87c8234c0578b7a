import { chmodSync, existsSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { unpackedPackage } from './debian-package';
import { enterable, throwAwayDirectory } from './directory';

const LIBRARY = 'libfaketime.so.1';

/**
 * A clock for engines that are started with it, by libfaketime. Tests set it forward and back, as
 * an operator may set a host's. Monotonic clocks are not affected.
 */
export class SteppedClock {
  private constructor(
    private readonly directory: string,
    private readonly library: string,
  ) {
    chmodSync(directory, 0o755);
    this.set(0);
  }

  /** @throws Error with one line where libfaketime is not available */
  static async make({ localDir = '.local' }: { readonly localDir?: string } = {}): Promise<SteppedClock> {
    const library = await faketimeLibrary(resolve(localDir));
    return new SteppedClock(throwAwayDirectory('clock'), library);
  }

  set(aheadMs: number): void {
    const draft = `${this.file}.next`;
    writeFileSync(draft, `${aheadMs < 0 ? '' : '+'}${(aheadMs / 1000).toFixed(3)}\n`);
    renameSync(draft, this.file);
  }

  /**
   * The C library comes first: jemalloc asks for the time while it starts, and libfaketime for
   * memory. In any other order neither starts.
   */
  get env(): NodeJS.ProcessEnv {
    return {
      LD_PRELOAD: `${this.library}:libc.so.6`,
      FAKETIME_TIMESTAMP_FILE: this.file,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      NO_FAKE_STAT: '1',
    };
  }

  /** Shared memory of a killed engine would prevent the start of an engine with the same number. */
  forgetEngine(pid: number): void {
    for (const name of [`faketime_shm_${pid}`, `sem.faketime_sem_${pid}`])
      rmSync(join('/dev/shm', name), { force: true });
  }

  remove(): void {
    rmSync(this.directory, { recursive: true, force: true });
  }

  private get file(): string {
    return join(this.directory, 'ahead');
  }
}

async function faketimeLibrary(localDir: string): Promise<string> {
  const installed = libraryBelow('/');
  if (installed !== undefined) return installed;
  const root = await unpackedPackage(enterable(localDir), 'libfaketime', 'faketime');
  const unpacked = root && libraryBelow(root);
  if (unpacked === undefined) throw new Error('No libfaketime here: install the package libfaketime.');
  return unpacked;
}

function libraryBelow(root: string): string | undefined {
  const libraries = join(root, 'usr', 'lib');
  if (!existsSync(libraries)) return undefined;
  const candidates = readdirSync(libraries).map((name) => join(libraries, name, 'faketime', LIBRARY));
  return candidates.find((candidate) => existsSync(candidate));
}
