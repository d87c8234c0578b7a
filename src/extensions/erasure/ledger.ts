import { open, readFile, rename } from 'node:fs/promises';
import type { FileRevision } from '../extension';
import type { LedgerEntry } from './erasure';

/** Who was forgotten, without any id, and what has become of files. */
interface Ledger {
  readonly entries: readonly LedgerEntry[];
  readonly revisions: readonly FileRevision[];
}

/** The file has its name when all of it is on the disk. */
export async function writeLedger(file: string, { entries, revisions }: Ledger): Promise<void> {
  const partial = `${file}.partial`;
  const handle = await open(partial, 'w');
  try {
    await handle.writeFile([...entries, ...revisions].map((line) => `${JSON.stringify(line)}\n`).join(''));
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(partial, file);
}

/** @throws Error with one line if it is no ledger */
export async function readLedger(file: string): Promise<Ledger> {
  const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '');
  const values = lines.map((line, i) => parsed(file, line, i + 1));
  return {
    entries: values.filter((value): value is LedgerEntry => 'pseudonym' in value),
    revisions: values.filter((value): value is FileRevision => 'file' in value),
  };
}

function parsed(file: string, line: string, no: number): LedgerEntry | FileRevision {
  try {
    const value = JSON.parse(line) as Partial<LedgerEntry & FileRevision>;
    const wanted = [value.pseudonym, value.digest, value.key, value.doneAt];
    const texts = value.file === undefined ? wanted : [value.file, value.before, value.after];
    if (texts.every((text) => typeof text === 'string')) return value as LedgerEntry | FileRevision;
  } catch {
    // It is reported as any other line that is none.
  }
  throw new Error(`Line ${no} of ${file} is not of a ledger of erasures.`);
}
