import { open, readFile, rename } from 'node:fs/promises';
import { isPseudonym } from '../../../libs/user-id';
import type { FileRevision } from '../extension';
import type { LedgerEntry } from './erasure';
import type { ErasureKey } from './erasure-key';

/** Who was forgotten, without any id, and how files were revised. */
interface Ledger {
  readonly entries: readonly LedgerEntry[];
  readonly revisions: readonly FileRevision[];
}

/**
 * The last line seals all others with the key: anyone who could change the ledger could have anyone forgotten, or
 * nobody. The file gets its name once all of it is on disk.
 */
export async function writeLedger(
  file: string,
  { entries, revisions }: Ledger,
  key: ErasureKey,
): Promise<void> {
  const lines = [...entries, ...revisions].map((line) => `${JSON.stringify(line)}\n`).join('');
  const partial = `${file}.partial`;
  const handle = await open(partial, 'w');
  try {
    await handle.writeFile(`${lines}${JSON.stringify({ key: key.name, seal: key.seal(lines) })}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(partial, file);
}

/** @throws Error with one line if it is not a ledger, or not as one of the keys has sealed it */
export async function readLedger(file: string, keys: readonly ErasureKey[]): Promise<Ledger> {
  const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '');
  const values = lines.map((line, i) => parsed(file, line, i + 1));
  const last = values.pop();
  if (last === undefined || !('seal' in last)) throw new Error(`${file} does not end with its seal.`);
  const key = keys.find(({ name }) => name === last.key);
  if (!key)
    throw new Error(`The seal of ${file} was made with another ERASURE_KEY, whose name is ${last.key}.`);
  if (
    last.seal !==
    key.seal(
      lines
        .slice(0, -1)
        .map((line) => `${line}\n`)
        .join(''),
    )
  )
    throw new Error(`${file} is not what was written: its seal does not fit.`);
  return {
    entries: values.filter((value): value is LedgerEntry => 'pseudonym' in value),
    revisions: values.filter((value): value is FileRevision => 'file' in value),
  };
}

interface Seal {
  readonly key: string;
  readonly seal: string;
}

type Line = LedgerEntry | FileRevision | Seal;

const DIGEST = /^[0-9a-f]{64}$/;

function parsed(file: string, line: string, no: number): Line {
  const value = valueOf(line);
  if (isEntry(value) || isRevision(value) || isSeal(value)) return value;
  throw new Error(`Line ${no} of ${file} does not belong to a ledger of erasures.`);
}

function valueOf(line: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(line)) as Record<string, unknown>;
  } catch {
    return {};
  }
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isDigest = (value: unknown): boolean => isText(value) && DIGEST.test(value);

const isEntry = (value: object): value is LedgerEntry => {
  const { pseudonym, digest, key, doneAt } = value as Partial<LedgerEntry>;
  return isText(pseudonym) && isPseudonym(pseudonym) && isDigest(digest) && isText(key) && isInstant(doneAt);
};

const isRevision = (value: object): value is FileRevision => {
  const { file, before, after } = value as Partial<FileRevision>;
  return isText(file) && isDigest(before) && isDigest(after);
};

const isSeal = (value: object): value is Seal => {
  const { key, seal } = value as Partial<Seal>;
  return isText(key) && isDigest(seal);
};

const isInstant = (value: unknown): boolean => isText(value) && !Number.isNaN(Date.parse(value));
