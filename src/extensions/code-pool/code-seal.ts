import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Half of SHA-256: the chance that two of a million codes have the same is one in 10^26. */
const DIGEST_BYTES = 16;

/** @param about what is sealed, so that it cannot be opened as anything else */
function seal(key: KeyObject, plain: Buffer, about: string): Buffer {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(CIPHER, key, iv).setAAD(Buffer.from(about));
  const sealed = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]);
}

/** Undefined if another key has sealed it, or it was changed or sealed for another place. */
function unseal(key: KeyObject, sealed: Buffer, about: string): Buffer | undefined {
  const textStart = IV_BYTES + TAG_BYTES;
  try {
    const decipher = createDecipheriv(CIPHER, key, sealed.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES })
      .setAAD(Buffer.from(about))
      .setAuthTag(sealed.subarray(IV_BYTES, textStart));
    return Buffer.concat([decipher.update(sealed.subarray(textStart)), decipher.final()]);
  } catch {
    return undefined;
  }
}

/** Node would turn bytes into such an object each time, which takes longer than sealing a code. */
const derived = (secret: Buffer, use: string): KeyObject =>
  createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', `hongbao.code.v1 ${use}`, KEY_BYTES)));

const aboutPool = (poolId: string): string => `hongbao.pool-key.v1 ${poolId}`;

/** Wraps the keys of pools: `CODE_SEAL_KEY`. */
export class WrappingKey {
  private readonly key: KeyObject;

  constructor(key: Buffer) {
    this.key = createSecretKey(key);
  }

  wrapNew(poolId: string): Buffer {
    return this.wrap(poolId, randomBytes(KEY_BYTES));
  }

  wrap(poolId: string, poolSecret: Buffer): Buffer {
    return seal(this.key, poolSecret, aboutPool(poolId));
  }

  /** Undefined if another key has wrapped it. */
  unwrap(poolId: string, wrapped: Buffer): Buffer | undefined {
    return unseal(this.key, wrapped, aboutPool(poolId));
  }
}

/**
 * Seals the codes of one pool. The digest, which finds codes that are already there, has a key of its own:
 * without it, someone who has read the table could try codes, since some kinds have few.
 */
export class PoolKey {
  private readonly sealing: KeyObject;
  private readonly digesting: KeyObject;

  constructor(
    private readonly poolId: string,
    secret: Buffer,
  ) {
    this.sealing = derived(secret, 'seal');
    this.digesting = derived(secret, 'digest');
  }

  seal(no: number, code: string): Buffer {
    return seal(this.sealing, Buffer.from(code), this.about(no));
  }

  /** @throws Error if it is not what was sealed as this number of this pool */
  open(no: number, sealed: Buffer): string {
    const code = unseal(this.sealing, sealed, this.about(no));
    if (!code)
      throw new Error(`Code ${no} of pool ${this.poolId} was not sealed by its key, or was changed.`);
    return code.toString();
  }

  digest(code: string): Buffer {
    return createHmac('sha256', this.digesting).update(code).digest().subarray(0, DIGEST_BYTES);
  }

  private about(no: number): string {
    return `hongbao.code.v1 ${this.poolId} ${no}`;
  }
}
