import { createCipheriv, randomBytes, type Cipher } from 'node:crypto';
import { invariant } from '../invariant';
import { RandomValues } from './random-values';

/** 32 fresh random bytes as 64 hexadecimal digits. */
export function newSeed(): string {
  return randomBytes(32).toString('hex');
}

const SEED_GRAMMAR = /^[0-9a-f]{64}$/;
const CHUNK_ZEROS = Buffer.alloc(4096);
const VALUE_BYTES = 8;

/**
 * The values of version 1: the AES-256-CTR keystream with the seed as key and a zero counter block.
 * Bytes are taken in a fixed order, so every machine reads the same values.
 */
export class Keystream extends RandomValues {
  private readonly cipher: Cipher;
  private chunk = new DataView(new ArrayBuffer(0));
  private offset = 0;

  /** @throws InvariantViolation when the seed is not 64 lower-case hexadecimal digits */
  constructor(seed: string) {
    super();
    invariant(SEED_GRAMMAR.test(seed), 'A seed is 64 lower-case hexadecimal digits.');
    this.cipher = createCipheriv('aes-256-ctr', Buffer.from(seed, 'hex'), Buffer.alloc(16));
  }

  /** 53 uniform bits: the upper 21 of one little-endian word, then the 32 of the following one. */
  protected override next(): number {
    if (this.offset === this.chunk.byteLength) this.refill();
    const high = this.chunk.getUint32(this.offset, true) >>> 11;
    const low = this.chunk.getUint32(this.offset + 4, true);
    this.offset += VALUE_BYTES;
    return high * 2 ** 32 + low;
  }

  private refill(): void {
    const bytes = this.cipher.update(CHUNK_ZEROS);
    this.chunk = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.offset = 0;
  }
}
