import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

const SECRET_PREFIX = 'whsec_';
const SECRET_BYTES = 32;
const TOLERANCE_SECONDS = 300;

export const newSecret = (): string => SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64');

/** The key of a secret. */
export const secretBytes = (secret: string): Buffer =>
  Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');

export interface Signed {
  readonly id: string;
  readonly timestampSeconds: number;
  readonly body: string;
}

/** The headers of Standard Webhooks 1.0.0. While a secret is rotated, both sign. */
export function signatureHeaders(secrets: readonly string[], signed: Signed): Record<string, string> {
  return {
    'webhook-id': signed.id,
    'webhook-timestamp': String(signed.timestampSeconds),
    'webhook-signature': secrets.map((secret) => `v1,${macOf(secret, signed).toString('base64')}`).join(' '),
  };
}

/** Returns whether a receiver that knows `secrets` may believe a message with these headers. */
export function isSigned(
  secrets: readonly string[],
  headers: Readonly<Record<string, unknown>>,
  body: string,
  nowSeconds: number,
): boolean {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures } = headers;
  if (typeof id !== 'string' || typeof signatures !== 'string') return false;
  if (typeof timestamp !== 'string' || !/^\d{1,12}$/.test(timestamp)) return false;
  const timestampSeconds = Number(timestamp);
  if (Math.abs(nowSeconds - timestampSeconds) > TOLERANCE_SECONDS) return false;
  const given = signatures
    .split(' ')
    .filter((one) => one.startsWith('v1,'))
    .map((one) => Buffer.from(one.slice('v1,'.length), 'base64'));
  const macs = secrets.map((secret) => macOf(secret, { id, timestampSeconds, body }));
  return given.some((one) => macs.some((mac) => one.length === mac.length && timingSafeEqual(one, mac)));
}

function macOf(secret: string, { id, timestampSeconds, body }: Signed): Buffer {
  return createHmac('sha256', secretBytes(secret)).update(`${id}.${timestampSeconds}.${body}`).digest();
}
