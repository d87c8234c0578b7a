import { createPrivateKey, createPublicKey, hash, type KeyObject, sign, verify } from 'node:crypto';

/** The tree of a log at one moment, in the terms of C2SP tlog-checkpoint. */
export interface Checkpoint {
  readonly origin: string;
  readonly size: number;
  readonly root: Buffer;
}

/** DER of an Ed25519 key: the bytes in front of its 32 (RFC 8410). */
export const PRIVATE_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');
export const PUBLIC_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');
/** The signature type of C2SP signed-note. */
const ED25519 = Buffer.of(1);
export const KEY_ID_BYTES = 4;

export const NAME = '[^\\s+]+';
export const VERIFIER_KEY = new RegExp(`^(${NAME})\\+([0-9a-f]{8})\\+([A-Za-z0-9+/]{44})$`);
export const SIGNATURE = new RegExp(`^— (${NAME}) ([A-Za-z0-9+/]+={0,2})$`);
const BODY = new RegExp(`^(${NAME})\n(0|[1-9]\\d{0,15})\n([A-Za-z0-9+/]{43}=)\n$`);

export const isVerifierKey = (text: string): boolean => VERIFIER_KEY.test(text);

/** Signs the checkpoints of one log. */
export class CheckpointSigner {
  /** How verifiers write the public key. */
  readonly verifierKey: string;
  private readonly key: KeyObject;
  private readonly keyId: Buffer;

  /**
   * @param seed the 32 bytes of the private key
   * @param previous signs as well, for verifiers that do not know the new key yet
   */
  constructor(
    private readonly origin: string,
    seed: Buffer,
    private readonly previous?: CheckpointSigner,
  ) {
    const der = Buffer.concat([PRIVATE_PREFIX, seed]);
    this.key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
    const spki = createPublicKey(this.key).export({ format: 'der', type: 'spki' });
    const publicKey = Buffer.concat([ED25519, spki.subarray(PUBLIC_PREFIX.length)]);
    this.keyId = keyIdOf(origin, publicKey);
    this.verifierKey = `${origin}+${this.keyId.toString('hex')}+${publicKey.toString('base64')}`;
  }

  sign(size: number, root: Buffer): string {
    return this.signText(`${this.origin}\n${size}\n${root.toString('base64')}\n`);
  }

  /** @param text ends with a line feed */
  signText(text: string): string {
    return `${text}\n${this.signatures(text)}`;
  }

  private signatures(text: string): string {
    const signature = Buffer.concat([this.keyId, sign(null, Buffer.from(text), this.key)]);
    const others = this.previous?.signatures(text) ?? '';
    return `— ${this.origin} ${signature.toString('base64')}\n${others}`;
  }
}

/** Returns the checkpoint in a note signed with this key, or undefined if it is not one. */
export function openCheckpoint(note: string, verifierKey: string): Checkpoint | undefined {
  const [, origin, size, root] = BODY.exec(openNote(note, verifierKey) ?? '') ?? [];
  if (origin === undefined || origin !== verifierKey.split('+')[0]) return undefined;
  return { origin, size: Number(size), root: Buffer.from(root!, 'base64') };
}

/** Returns the text of a note that this key has signed. Signatures of other keys are passed over. */
export function openNote(note: string, verifierKey: string): string | undefined {
  const [, name, id, key] = VERIFIER_KEY.exec(verifierKey) ?? [];
  const publicKey = Buffer.from(key ?? '', 'base64');
  if (name === undefined || keyIdOf(name, publicKey).toString('hex') !== id) return undefined;
  const end = note.lastIndexOf('\n\n') + 1;
  const text = note.slice(0, end);
  const spki = {
    key: Buffer.concat([PUBLIC_PREFIX, publicKey.subarray(1)]),
    format: 'der',
    type: 'spki',
  } as const;
  const isSigned = note
    .slice(end + 1)
    .split('\n')
    .map((line) => SIGNATURE.exec(line))
    .some((match) => {
      if (match?.[1] !== name) return false;
      const signature = Buffer.from(match[2]!, 'base64');
      if (signature.subarray(0, KEY_ID_BYTES).toString('hex') !== id) return false;
      return verify(null, Buffer.from(text), createPublicKey(spki), signature.subarray(KEY_ID_BYTES));
    });
  return isSigned ? text : undefined;
}

export const keyIdOf = (name: string, publicKey: Buffer): Buffer =>
  hash('sha256', Buffer.concat([Buffer.from(`${name}\n`), publicKey]), 'buffer').subarray(0, KEY_ID_BYTES);
