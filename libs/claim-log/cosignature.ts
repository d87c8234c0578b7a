import { sign, verify } from 'node:crypto';
import {
  KEY_ID_BYTES,
  keyIdOf,
  NAME,
  publicKeyOf,
  SIGNATURE,
  type SigningKey,
  signingKey,
  textOfNote,
  VERIFIER_KEY,
} from './note';

/** A witness has seen this tree, which begins with everything that it had seen before (C2SP tlog-cosignature). */
export interface Cosignature {
  /** The line of the note, without its line feed. */
  readonly line: string;
  /** Seconds since 1970. */
  readonly at: number;
}

/** The signature type of cosignature/v1. */
const COSIGNATURE_V1 = 4;
/** A log and its witnesses accept each other's clocks if they differ by no more than this. */
export const CLOCKS_WITHIN_SECONDS = 600;

const TIME_BYTES = 8;
const SIGNATURE_BYTES = 64;

/** A note has at most 16 signatures that everyone has to read, and the log may sign with two keys. */
export const WITNESSES_MAX = 14;
/** How many lines of a foreign note are read. */
const LINES_MAX = 64;

const NAME_CHARACTERS_MAX = 100;
const WITNESS_NAME = new RegExp(`^${NAME}$`);

/** Commas separate witnesses in settings and queries. */
export function witnessNameFault(name: string): string | undefined {
  if (name.length > NAME_CHARACTERS_MAX) return `has more than ${NAME_CHARACTERS_MAX} characters`;
  return WITNESS_NAME.test(name) && !/[,\p{C}]/u.test(name)
    ? undefined
    : 'is not a name: it must not contain spaces, + or commas; an example is witness.example/w1';
}

export const nameOfWitness = (verifierKey: string): string => verifierKey.split('+')[0]!;

/** Returns the fault of a list of witness keys, as the end of a sentence. */
export function witnessesFault(keys: readonly string[]): string | undefined {
  if (keys.length > WITNESSES_MAX) return `must have at most ${WITNESSES_MAX} keys`;
  for (const [i, key] of keys.entries()) {
    const fault = keyFault(key) ?? twinFault(key, keys.slice(0, i));
    if (fault !== undefined) return `has the key ${JSON.stringify(key)}, which ${fault}`;
  }
  return undefined;
}

/** The y of all points whose order divides 8: with such a key one signature passes for many texts. */
const PRIME = 2n ** 255n - 19n;
const ORDER_8_Y = 2707385501144840649318225287225658788936804267575313519463743609750303402022n;
const SMALL_ORDER_Y = [0n, 1n, PRIME - 1n, ORDER_8_Y, PRIME - ORDER_8_Y];

/** @param key 32 bytes: y, and in the highest bit the sign of x */
function isStrong(key: Buffer): boolean {
  const y = BigInt(`0x${Buffer.from(key).reverse().toString('hex')}`) % 2n ** 255n;
  return y < PRIME && !SMALL_ORDER_Y.includes(y);
}

function keyFault(text: string): string | undefined {
  const [, name, id, encoded] = VERIFIER_KEY.exec(text) ?? [];
  if (name === undefined) return 'is not of the form name+hash+key';
  const nameFault = witnessNameFault(name);
  if (nameFault !== undefined) return `begins with a text that ${nameFault}`;
  const key = Buffer.from(encoded!, 'base64');
  if (key[0] !== COSIGNATURE_V1)
    return `is of signature type ${key[0]}: witnesses sign with type 4, Ed25519 of cosignature/v1`;
  if (!isStrong(key.subarray(1))) return 'anyone can sign with: it is of small order, or not canonical';
  const expected = keyIdOf(name, key).toString('hex');
  return id === expected ? undefined : `was mistyped: name and key have the hash ${expected}`;
}

/** Cosignatures do not name their witness, so two names of one key would count twice. */
function twinFault(key: string, others: readonly string[]): string | undefined {
  const partOf = (text: string) => text.split('+').slice(2).join('+');
  if (others.some((other) => nameOfWitness(other) === nameOfWitness(key)))
    return 'has the same name as another key';
  return others.some((other) => partOf(other) === partOf(key))
    ? 'is listed under another name as well'
    : undefined;
}

/** Signs checkpoints that a witness has found consistent. */
export class WitnessSigner {
  private readonly key: SigningKey;

  /** @param seed the 32 bytes of the private key */
  constructor(
    private readonly name: string,
    seed: Buffer,
  ) {
    this.key = signingKey(name, seed, COSIGNATURE_V1);
  }

  /** The public key as verifiers write it. */
  get verifierKey(): string {
    return this.key.verifierKey;
  }

  /** @param at seconds since 1970 */
  cosign(note: string, at: number): Cosignature {
    const time = Buffer.alloc(TIME_BYTES);
    time.writeBigUInt64BE(BigInt(at));
    const signature = sign(null, message(textOfNote(note), at), this.key.secret);
    const bytes = Buffer.concat([this.key.id, time, signature]);
    return { line: `— ${this.name} ${bytes.toString('base64')}`, at };
  }
}

/** Returns the valid cosignature of this witness among the lines of a note, or undefined if there is none. */
export function openCosignature(note: string, verifierKey: string): Cosignature | undefined {
  const text = textOfNote(note);
  return note
    .slice(text.length + 1)
    .split('\n', LINES_MAX)
    .map((line) => readCosignature(line, text, verifierKey))
    .find((cosignature) => cosignature !== undefined);
}

/** What a signature line of a note begins with: the name of its key, and the hash in hexadecimal digits. */
export interface Signer {
  readonly name: string;
  readonly id: string;
}

/** Returns who a line says that it was signed by, or undefined if it is not a signature line of a note. */
export function signerOf(line: string): Signer | undefined {
  const [, name, value] = SIGNATURE.exec(line) ?? [];
  if (name === undefined) return undefined;
  const id = Buffer.from(value!, 'base64').toString('hex', 0, KEY_ID_BYTES);
  return id.length === 2 * KEY_ID_BYTES ? { name, id } : undefined;
}

/** True if this is the name and the hash of a witness's key. */
export function isSignerOf({ name, id }: Signer, verifierKey: string): boolean {
  const [, ownName, ownId] = VERIFIER_KEY.exec(verifierKey) ?? [];
  return name === ownName && id === ownId;
}

/**
 * Returns the cosignature that a line holds if it is one of this text by this witness.
 * @param text of a note, up to and including its last line feed
 */
export function readCosignature(line: string, text: string, verifierKey: string): Cosignature | undefined {
  const [, name, id, encoded] = VERIFIER_KEY.exec(verifierKey) ?? [];
  const [, signer, value] = SIGNATURE.exec(line) ?? [];
  const bytes = Buffer.from(value ?? '', 'base64');
  if (name === undefined || signer !== name || bytes.length !== KEY_ID_BYTES + TIME_BYTES + SIGNATURE_BYTES)
    return undefined;
  // Others read base64 strictly, and would refuse the whole note for a line that is not canonical.
  if (bytes.toString('base64') !== value) return undefined;
  if (bytes.toString('hex', 0, KEY_ID_BYTES) !== id) return undefined;
  const at = bytes.readBigUInt64BE(KEY_ID_BYTES);
  if (at > Number.MAX_SAFE_INTEGER) return undefined;
  const key = publicKeyOf(Buffer.from(encoded!, 'base64'));
  const signature = bytes.subarray(KEY_ID_BYTES + TIME_BYTES);
  return verify(null, message(text, Number(at)), key, signature) ? { line, at: Number(at) } : undefined;
}

const message = (text: string, at: number): Buffer => Buffer.from(`cosignature/v1\ntime ${at}\n${text}`);
