import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, rmSync, statfsSync } from 'node:fs';

/** Far more than a round writes. */
const ROOMY_BYTES = 1024 ** 3;

/** A disk in memory that can be made full, and roomy again, while a server uses it. Only root may mount one, on Linux. */
export class SmallDisk {
  private constructor(readonly directory: string) {}

  /** Undefined where this process may not mount. */
  static mount(directory: string): SmallDisk | undefined {
    mkdirSync(directory, { recursive: true });
    if (mount(['-t', 'tmpfs', '-o', `size=${ROOMY_BYTES}`, 'tmpfs', directory])) {
      chmodSync(directory, 0o755);
      return new SmallDisk(directory);
    }
    rmSync(directory, { recursive: true });
    return undefined;
  }

  /** Room for this many bytes more, rounded up to pages. */
  fill(bytesLeft: number): void {
    const { blocks, bfree, bsize } = statfsSync(this.directory);
    this.resize((blocks - bfree) * bsize + bytesLeft);
  }

  makeRoom(): void {
    this.resize(ROOMY_BYTES);
  }

  unmount(): void {
    spawnSync('umount', [this.directory]);
    rmSync(this.directory, { recursive: true });
  }

  private resize(bytes: number): void {
    if (!mount(['-o', `remount,size=${bytes}`, this.directory]))
      throw new Error(`${this.directory} cannot be given ${bytes} bytes`);
  }
}

const mount = (args: string[]): boolean => spawnSync('mount', args).status === 0;
