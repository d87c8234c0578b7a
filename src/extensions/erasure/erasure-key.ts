import { createHmac } from 'node:crypto';

/** Bytes of the name of a key, by which a digest finds it again. */
const NAME_BYTES = 6;

const hmac = (key: Buffer, use: string, text: string): Buffer =>
  createHmac('sha256', key).update(`hongbao.erasure.v1 ${use}\0${text}`).digest();

/** `ERASURE_KEY`: without it nobody can tell from a digest whom it stands for, by trying ids. */
export class ErasureKey {
  private readonly key: Buffer;
  readonly name: string;

  /** @param text base64 */
  constructor(text: string) {
    this.key = Buffer.from(text, 'base64');
    this.name = hmac(this.key, 'name', '').subarray(0, NAME_BYTES).toString('hex');
  }

  /** Of a ledger, in hexadecimal. */
  seal(text: string): string {
    return hmac(this.key, 'ledger', text).toString('hex');
  }

  digest(userId: string): Buffer {
    return hmac(this.key, 'user', userId);
  }
}
