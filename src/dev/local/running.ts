import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { birthOf } from '../engines';

export interface Addresses {
  readonly apiUrl: string;
  readonly workerUrl: string;
  readonly databaseUrl: string;
  /** Given when the owner is another role. */
  readonly ownerDatabaseUrl?: string;
  readonly redisUrl: string;
  /** Given when Redis is private: its default user, who may do everything. */
  readonly ownerRedisUrl?: string;
}

interface Owner {
  readonly pid: number;
  readonly birth?: string;
  readonly addresses?: Addresses;
}

/** Only one process may use a data directory. */
export class DataDirLock {
  private constructor(
    private readonly file: string,
    private readonly owner: Owner,
  ) {}

  /** @throws Error with one line when a living process has the directory */
  static async take(dataDir: string): Promise<DataDirLock> {
    const file = fileIn(dataDir);
    const self = { pid: process.pid, birth: await birthOf(process.pid) };
    const own = `${file}.${process.pid}`;
    mkdirSync(dataDir, { recursive: true });
    writeFileSync(own, JSON.stringify(self), { mode: 0o600 });
    try {
      while (!linked(own, file)) await removeDead(file, own);
    } finally {
      rmSync(own);
    }
    return new DataDirLock(file, self);
  }

  announce(addresses: Addresses): void {
    writeFileSync(this.file, JSON.stringify({ ...this.owner, addresses }, null, 2));
  }

  release(): void {
    rmSync(this.file, { force: true });
  }
}

/**
 * Removes the lock of a dead process. Several processes may find it at the same moment, so they take turns: a
 * late process would otherwise remove the lock that another has just taken.
 * @throws Error with one line when a living process has the lock
 */
async function removeDead(file: string, own: string): Promise<void> {
  await requireDead(file);
  const turn = `${file}.turn`;
  if (!linked(own, turn)) {
    const other = readOwner(turn);
    if (other && !(await isLiving(other))) rmSync(turn, { force: true });
    return;
  }
  try {
    await requireDead(file);
    rmSync(file, { force: true });
  } finally {
    rmSync(turn, { force: true });
  }
}

async function requireDead(file: string): Promise<void> {
  const owner = await livingOwner(file);
  if (owner !== undefined)
    throw new Error(
      `Already running as process ${owner.pid} (${file}): stop it or set LOCAL_DIR to another place.`,
    );
}

/** Gives a file a second name, all at once. False if the name is taken. */
export const linked = (file: string, name: string): boolean => quietly('EEXIST', () => linkSync(file, name));

function quietly(code: string, deed: () => void): boolean {
  try {
    deed();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === code) return false;
    throw error;
  }
}

export async function runningSystem(dataDir: string): Promise<Addresses | undefined> {
  return (await livingOwner(fileIn(dataDir)))?.addresses;
}

function fileIn(dataDir: string): string {
  return join(dataDir, 'running.json');
}

async function livingOwner(file: string): Promise<Owner | undefined> {
  const owner = readOwner(file);
  return owner && (await isLiving(owner)) ? owner : undefined;
}

async function isLiving({ pid, birth }: Owner): Promise<boolean> {
  return birth !== undefined && (await birthOf(pid)) === birth;
}

function readOwner(file: string): Owner | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Owner;
  } catch {
    return undefined;
  }
}
