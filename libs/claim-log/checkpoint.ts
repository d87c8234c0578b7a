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

/** The tree of a log at one moment, in the terms of C2SP tlog-checkpoint. */
export interface Checkpoint {
  readonly origin: string;
  readonly size: number;
  readonly root: Buffer;
}

/** The signature type of C2SP signed-note. */
const ED25519 = 1;

const BODY = new RegExp(`^(${NAME})\n(0|[1-9]\\d{0,15})\n([A-Za-z0-9+/]{43}=)\n$`);

/** Whether a text is the public key of a log, for signatures of type 1. */
export function isVerifierKey(text: string): boolean {
  const [, , , key] = VERIFIER_KEY.exec(text) ?? [];
  return key !== undefined && Buffer.from(key, 'base64')[0] === ED25519;
}

/** Signs the checkpoints of one log. */
export class CheckpointSigner {
  private readonly key: SigningKey;

  /**
   * @param seed the 32 bytes of the private key
   * @param previous signs as well, for verifiers that do not know the new key yet
   */
  constructor(
    private readonly origin: string,
    seed: Buffer,
    private readonly previous?: CheckpointSigner,
  ) {
    this.key = signingKey(origin, seed, ED25519);
  }

  /** The public key as verifiers write it. */
  get verifierKey(): string {
    return this.key.verifierKey;
  }

  sign(size: number, root: Buffer): string {
    return this.signText(`${this.origin}\n${size}\n${root.toString('base64')}\n`);
  }

  /** @param text ends with a line feed */
  signText(text: string): string {
    return `${text}\n${this.signatures(text)}`;
  }

  private signatures(text: string): string {
    const signature = Buffer.concat([this.key.id, sign(null, Buffer.from(text), this.key.secret)]);
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

/** Returns the text of a note if this key has signed it. Signatures by other keys are ignored. */
export function openNote(note: string, verifierKey: string): string | undefined {
  const [, name, id, key] = VERIFIER_KEY.exec(verifierKey) ?? [];
  const publicKey = Buffer.from(key ?? '', 'base64');
  if (name === undefined || publicKey[0] !== ED25519) return undefined;
  if (keyIdOf(name, publicKey).toString('hex') !== id) return undefined;
  const text = textOfNote(note);
  const isSigned = note
    .slice(text.length + 1)
    .split('\n')
    .map((line) => SIGNATURE.exec(line))
    .some((match) => {
      if (match?.[1] !== name) return false;
      const signature = Buffer.from(match[2]!, 'base64');
      if (signature.subarray(0, KEY_ID_BYTES).toString('hex') !== id) return false;
      return verify(null, Buffer.from(text), publicKeyOf(publicKey), signature.subarray(KEY_ID_BYTES));
    });
  return isSigned ? text : undefined;
}
