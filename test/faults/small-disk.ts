import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, rmSync, statfsSync } from 'node:fs';

const ROOMY_BYTES = 1024 ** 3;

const FILLED_WITHIN = 20;

/** A disk in memory that can be filled. Only root can mount it, on Linux. */
export class SmallDisk {
  private constructor(readonly directory: string) {}

  static mount(directory: string): SmallDisk | undefined {
    mkdirSync(directory, { recursive: true });
    if (mount(['-t', 'tmpfs', '-o', `size=${ROOMY_BYTES}`, 'tmpfs', directory])) {
      chmodSync(directory, 0o755);
      return new SmallDisk(directory);
    }
    rmSync(directory, { recursive: true });
    return undefined;
  }

  /** Leaves room for this many more bytes, rounded up to pages. May take several attempts. */
  fill(bytesLeft: number): void {
    for (let attempt = 1; !this.resize(this.usedBytes() + bytesLeft); attempt++)
      if (attempt === FILLED_WITHIN) throw new Error(`${this.directory} cannot be filled`);
  }

  makeRoom(): void {
    if (!this.resize(ROOMY_BYTES)) throw new Error(`${this.directory} cannot be given room`);
  }

  unmount(): void {
    spawnSync('umount', [this.directory]);
    rmSync(this.directory, { recursive: true });
  }

  private usedBytes(): number {
    const { blocks, bfree, bsize } = statfsSync(this.directory);
    return (blocks - bfree) * bsize;
  }

  private resize(bytes: number): boolean {
    return mount(['-o', `remount,size=${bytes}`, this.directory]);
  }
}

const mount = (args: string[]): boolean => spawnSync('mount', args).status === 0;
