import { createPrivateKey, createPublicKey, hash, type KeyObject } from 'node:crypto';

/** DER of an Ed25519 key: the bytes in front of its 32 (RFC 8410). */
const PRIVATE_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');
const PUBLIC_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');
export const KEY_ID_BYTES = 4;

export const NAME = '[^\\s+]+';
export const VERIFIER_KEY = new RegExp(`^(${NAME})\\+([0-9a-f]{8})\\+([A-Za-z0-9+/]{44})$`);
export const SIGNATURE = new RegExp(`^— (${NAME}) ([A-Za-z0-9+/]+={0,2})$`);

/** The text of a signed note (C2SP signed-note), up to and including its last line feed. */
export const textOfNote = (note: string): string => note.slice(0, note.lastIndexOf('\n\n') + 1);

export interface SigningKey {
  readonly secret: KeyObject;
  /** Signatures begin with it. */
  readonly id: Buffer;
  /** The public key as verifiers write it. */
  readonly verifierKey: string;
}

/**
 * @param seed the 32 bytes of the private key
 * @param type of the signature: the first byte of the public key
 */
export function signingKey(name: string, seed: Buffer, type: number): SigningKey {
  const der = Buffer.concat([PRIVATE_PREFIX, seed]);
  const secret = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  const spki = createPublicKey(secret).export({ format: 'der', type: 'spki' });
  const publicKey = Buffer.concat([Buffer.of(type), spki.subarray(PUBLIC_PREFIX.length)]);
  const id = keyIdOf(name, publicKey);
  return { secret, id, verifierKey: `${name}+${id.toString('hex')}+${publicKey.toString('base64')}` };
}

/** @param publicKey preceded by the type of its signatures */
export const publicKeyOf = (publicKey: Buffer): KeyObject =>
  createPublicKey({
    key: Buffer.concat([PUBLIC_PREFIX, publicKey.subarray(1)]),
    format: 'der',
    type: 'spki',
  });

export const keyIdOf = (name: string, publicKey: Buffer): Buffer =>
  hash('sha256', Buffer.concat([Buffer.from(`${name}\n`), publicKey]), 'buffer').subarray(0, KEY_ID_BYTES);
