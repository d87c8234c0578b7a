import { createHmac } from 'node:crypto';

/** Length of a key's name, by which a digest refers to its key. */
const NAME_BYTES = 6;

const hmac = (key: Buffer, use: string, text: string): Buffer =>
  createHmac('sha256', key).update(`hongbao.erasure.v1 ${use}\0${text}`).digest();

/** `ERASURE_KEY`: without it nobody can find out whom a digest stands for by trying ids. */
export class ErasureKey {
  private readonly key: Buffer;
  readonly name: string;

  /** @param text base64 */
  constructor(text: string) {
    this.key = Buffer.from(text, 'base64');
    this.name = hmac(this.key, 'name', '').subarray(0, NAME_BYTES).toString('hex');
  }

  /** Returns the seal of a ledger, in hexadecimal digits. */
  seal(text: string): string {
    return hmac(this.key, 'ledger', text).toString('hex');
  }

  digest(userId: string): Buffer {
    return hmac(this.key, 'user', userId);
  }
}
