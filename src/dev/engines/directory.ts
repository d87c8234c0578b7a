import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

const isRoot = process.getuid?.() === 0;
const NOBODY = 65_534;

/** A directory in memory, on Linux. */
const MEMORY = '/dev/shm';
/** Four Jest workers have needed less than 200 MB. */
const ROOM_IN_MEMORY_BYTES = 4 * 1024 ** 3;

/** Postgres refuses to run as root: started by root, it runs as the user that owns nothing. */
export const unprivileged = isRoot ? { uid: NOBODY, gid: NOBODY } : {};

/** Fills a directory once: complete or not at all. Of several at once, the first to finish wins. */
export async function fillOnce(target: string, fill: (draft: string) => Promise<void> | void): Promise<void> {
  if (existsSync(target)) return;
  mkdirSync(dirname(target), { recursive: true });
  const draft = mkdtempSync(`${target}-`);
  try {
    chmodSync(draft, 0o755);
    await fill(draft);
    renameSync(draft, target);
  } catch (error) {
    if (!existsSync(target)) throw error;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** @param inMemory where memory is plenty: making a database on disk takes longer */
export function throwAwayDirectory(name: string, { inMemory = false } = {}): string {
  const onDisk = isRoot && !othersMayEnter(tmpdir()) ? '/tmp' : tmpdir();
  return mkdtempSync(join(inMemory && hasRoomInMemory() ? MEMORY : onDisk, `hongbao-${name}-`));
}

function hasRoomInMemory(): boolean {
  if (!existsSync(MEMORY)) return false;
  const { bavail, bsize } = statfsSync(MEMORY);
  return Math.min(bavail * bsize, process.availableMemory()) >= ROOM_IN_MEMORY_BYTES;
}

/**
 * Returns the directory if the unprivileged user can work in it, after opening it to that user where needed.
 * Otherwise returns a substitute: directories below `/root` are closed.
 */
export function enterable(directory: string): string {
  const wanted = resolve(directory);
  mkdirSync(wanted, { recursive: true });
  if (!isRoot) return wanted;
  chmodSync(wanted, statSync(wanted).mode | 0o001);
  if (othersMayEnter(wanted)) return wanted;
  const instead = join('/var/lib/hongbao', createHash('sha256').update(wanted).digest('hex').slice(0, 16));
  mkdirSync(instead, { recursive: true });
  for (const path of [dirname(instead), instead]) chmodSync(path, 0o755);
  return instead;
}

function othersMayEnter(directory: string): boolean {
  const enters = (statSync(directory).mode & 0o001) !== 0;
  return enters && (directory === dirname(directory) || othersMayEnter(dirname(directory)));
}
