import { createHmac, createSecretKey, randomBytes } from 'node:crypto';

const SECRET_PREFIX = 'whsec_';
const SECRET_BYTES = 32;

export const newSecret = (): string => SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64');

/** The key of a secret. */
export const secretBytes = (secret: string): Buffer =>
  Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');

export interface Signed {
  readonly id: string;
  readonly timestampSeconds: number;
  readonly body: string;
}

/** The headers of Standard Webhooks 1.0.0, which `verifySignature` of libs/client reads. While a secret is rotated, both sign. */
export function signatureHeaders(secrets: readonly string[], signed: Signed): Record<string, string> {
  return {
    'webhook-id': signed.id,
    'webhook-timestamp': String(signed.timestampSeconds),
    'webhook-signature': secrets.map((secret) => `v1,${macOf(secret, signed).toString('base64')}`).join(' '),
  };
}

/** Node takes bytes for a key as well, but throws and catches an error to find that out. */
function macOf(secret: string, { id, timestampSeconds, body }: Signed): Buffer {
  const key = createSecretKey(secretBytes(secret));
  return createHmac('sha256', key).update(`${id}.${timestampSeconds}.${body}`).digest();
}
