import { randomBytes } from 'node:crypto';
import { existsSync, linkSync, readFileSync, rmSync, statSync } from 'node:fs';
import { WitnessSigner, witnessNameFault } from '../../../libs/claim-log';
import { writeBeside } from './replace-file';
import { SignedRecord } from './signed-record';

const SEED_BYTES = 32;
const SEED = /^[A-Za-z0-9+/]{43}=$/;
const OTHERS = 0o077;

/** The key of a witness, and what it has signed. Neither is of use without the other. */
export interface WitnessKey {
  readonly signer: WitnessSigner;
  readonly record: SignedRecord;
}

/**
 * Makes a key in a file that only its owner can read, and an empty record next to it.
 * @throws Error with one line
 */
export function newWitnessKey(file: string, name: string | undefined): WitnessKey {
  if (name === undefined)
    throw new Error('--name is missing: the name of the witness, such as witness.example/w1.');
  const fault = witnessNameFault(name);
  if (fault !== undefined) throw new Error(`--name ${fault}.`);
  if (existsSync(file)) throw new Error(`${file} exists already: a key is never written over.`);
  if (existsSync(recordOf(file)))
    throw new Error(
      `${recordOf(file)} exists already, and ${file} does not: it is of a key that was lost, or that was never finished. Delete it, or choose another file.`,
    );
  const record = SignedRecord.create(recordOf(file));
  const seed = randomBytes(SEED_BYTES);
  const text = { name, key: seed.toString('base64') };
  const unnamed = writeBeside(file, `${JSON.stringify(text, null, 2)}\n`, 0o600);
  try {
    linkSync(unnamed, file);
  } finally {
    rmSync(unnamed);
  }
  return { signer: new WitnessSigner(name, seed), record };
}

/** @throws Error with one line */
export function readWitnessKey(file: string): WitnessKey {
  if ((statSync(file).mode & OTHERS) !== 0 && process.platform !== 'win32')
    throw new Error(`Others can read ${file}: run chmod 600 ${file}, and make a new key if anyone has.`);
  const { name, key } = keyIn(readFileSync(file, 'utf8')) ?? {};
  if (typeof name !== 'string' || typeof key !== 'string' || !SEED.test(key) || witnessNameFault(name))
    throw new Error(
      `${file} is torn, or is not a key that --new-witness-key has made: restore it, or make a new key.`,
    );
  return {
    signer: new WitnessSigner(name, Buffer.from(key, 'base64')),
    record: new SignedRecord(recordOf(file)),
  };
}

function keyIn(text: string): { name?: unknown; key?: unknown } | undefined {
  try {
    return (JSON.parse(text) as object | null) ?? undefined;
  } catch {
    return undefined;
  }
}

const recordOf = (file: string): string => `${file}.signed`;
