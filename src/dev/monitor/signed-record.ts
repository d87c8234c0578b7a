import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { join } from 'node:path';
import { writeBeside } from './replace-file';

/** The last checkpoint of a log that a witness has signed. */
export interface Signed {
  readonly checkpoint: string;
  readonly verifierKey: string;
  /** When it was signed, in seconds since 1970. */
  readonly at: number;
}

/** The last signed checkpoint of each log, by its origin. */
export type SignedLogs = Readonly<Record<string, Signed>>;

export interface Revision {
  readonly no: number;
  readonly logs: SignedLogs;
}

const FILE = /^(\d+)\.json$/;

/**
 * Records everything that a key has signed, in a directory of its own: the file with the highest number
 * counts. A change is a new file with the next number, which only one process can link. So if several
 * monitors have the same key, each signs on top of what the others have signed, or does not sign at all. A
 * crash leaves the old or the new file, and no lock.
 */
export class SignedRecord {
  constructor(private readonly directory: string) {}

  static create(directory: string): SignedRecord {
    mkdirSync(directory, { mode: 0o700 });
    const record = new SignedRecord(directory);
    record.link({ no: 1, logs: {} });
    return record;
  }

  /** @throws Error with one line if there is none: a key without its record could sign another history */
  read(): Revision {
    const no = this.highest();
    const path = join(this.directory, `${no}.json`);
    const without = 'Without it the key could sign another history: restore it, or make a new key.';
    if (no === undefined)
      throw new Error(`${this.directory}, the record of what this key has signed, is missing. ${without}`);
    try {
      return { no, logs: logsIn(readFileSync(path, 'utf8')) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return this.read();
      throw new Error(`${path}, the record of what this key has signed, cannot be read. ${without}`, {
        cause: error,
      });
    }
  }

  /** Replaces this revision. False if another process has done so before: nothing may be signed then. */
  replace({ no }: Revision, logs: SignedLogs): boolean {
    const next = { no: no + 1, logs };
    if (!this.link(next)) return false;
    // One that has slept long enough can link a number that was used and deleted.
    if (this.highest() !== next.no) {
      rmSync(join(this.directory, `${next.no}.json`), { force: true });
      return false;
    }
    // Only what the file really holds may be signed, in case it was damaged while it was written.
    if (JSON.stringify(this.read().logs) !== JSON.stringify(logs)) return false;
    rmSync(join(this.directory, `${no}.json`), { force: true });
    return true;
  }

  private highest(): number | undefined {
    try {
      const numbers = readdirSync(this.directory).flatMap((name) => FILE.exec(name)?.[1] ?? []);
      return numbers.length === 0 ? undefined : Math.max(...numbers.map(Number));
    } catch {
      return undefined;
    }
  }

  /** The file is whole and on disk before it has its name. */
  private link({ no, logs }: Revision): boolean {
    const path = join(this.directory, `${no}.json`);
    const unnamed = writeBeside(path, `${JSON.stringify({ logs }, null, 2)}\n`, 0o600);
    try {
      linkSync(unnamed, path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
      throw error;
    } finally {
      rmSync(unnamed);
    }
    this.sync();
    return true;
  }

  private sync(): void {
    if (process.platform === 'win32') return;
    const directory = openSync(this.directory, 'r');
    try {
      fsyncSync(directory);
    } finally {
      closeSync(directory);
    }
  }
}

function logsIn(text: string): SignedLogs {
  const { logs } = JSON.parse(text) as { logs?: unknown };
  if (typeof logs !== 'object' || logs === null) throw new Error('It has no logs.');
  return logs as SignedLogs;
}
