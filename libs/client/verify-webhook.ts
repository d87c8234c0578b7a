import type { WebhookMessage } from './operations';

const SECRET = /^whsec_([A-Za-z0-9+/]+={0,2})$/;
const TOLERANCE_SECONDS = 300;
const HMAC = { name: 'HMAC', hash: 'SHA-256' };

/** Headers as `fetch`, Node and serverless gateways pass them. */
export type WebhookHeaders = Pick<Headers, 'get'> | Readonly<Record<string, unknown>>;

/** Not a message from Hongbao, or not a recent one: answer 401. */
export class UnverifiedWebhook extends Error {
  override readonly name = 'UnverifiedWebhook';

  constructor(
    readonly reason: 'header' | 'timestamp' | 'signature' | 'body',
    message: string,
  ) {
    super(message);
  }
}

/**
 * Returns the message of a webhook if it was signed with one of the secrets at most five minutes ago
 * (Standard Webhooks 1.0.0). Every message arrives at least once: drop a message whose `webhook-id` has
 * arrived before. It needs Web Crypto, which Node, Deno, Bun and edge workers have.
 * @param body as it was received, before anything parses it
 * @param secrets `whsec_…`, several during a rotation
 * @throws UnverifiedWebhook
 * @throws TypeError for an impossible body or secret
 */
export async function verifyWebhook(
  headers: WebhookHeaders,
  body: string | Uint8Array,
  secrets: string | readonly string[],
): Promise<WebhookMessage> {
  await verifySignature(headers, body, secrets);
  const message = jsonOf(typeof body === 'string' ? body : new TextDecoder().decode(body));
  if (typeof message?.type !== 'string')
    throw new UnverifiedWebhook('body', 'The body is signed, but it is not a message of a webhook.');
  return message as WebhookMessage;
}

/**
 * Verifies requests that are signed like webhooks, such as payout requests to a receiver.
 * @throws as verifyWebhook
 */
export async function verifySignature(
  headers: WebhookHeaders,
  body: string | Uint8Array,
  secrets: string | readonly string[],
): Promise<void> {
  const keys = await keysOf(secrets);
  const signed = [headerOf(headers, 'webhook-id'), timestampOf(headers), ''].join('.');
  const bytes = bytesOf(signed, body);
  for (const signature of signaturesOf(headers))
    for (const key of keys) if (await crypto.subtle.verify('HMAC', key, signature, bytes)) return;
  throw new UnverifiedWebhook(
    'signature',
    'None of the secrets has signed this id, timestamp and body: compare the secret, and verify the body as it was received.',
  );
}

function headerOf(headers: WebhookHeaders, name: string): string {
  const value = typeof headers.get === 'function' ? (headers as Headers).get(name) : fieldOf(headers, name);
  if (typeof value === 'string' && value !== '') return value;
  throw new UnverifiedWebhook('header', `The header ${name} is missing.`);
}

/** Node writes the names of headers in lower case, others as they came. */
const fieldOf = (headers: object, name: string): unknown =>
  Object.entries(headers).find(([given]) => given.toLowerCase() === name)?.[1];

function timestampOf(headers: WebhookHeaders): string {
  const timestamp = headerOf(headers, 'webhook-timestamp');
  if (!/^\d{1,12}$/.test(timestamp))
    throw new UnverifiedWebhook('timestamp', 'The header webhook-timestamp is not a number of seconds.');
  const ageSeconds = Math.floor(Date.now() / 1_000) - Number(timestamp);
  if (Math.abs(ageSeconds) <= TOLERANCE_SECONDS) return timestamp;
  throw new UnverifiedWebhook(
    'timestamp',
    `The message was signed ${Math.abs(ageSeconds)} seconds ${ageSeconds > 0 ? 'ago' : 'ahead'}, and ${TOLERANCE_SECONDS} are allowed: is this clock right?`,
  );
}

/** Signatures of other versions, and texts that are not base64, count for nothing. */
function signaturesOf(headers: WebhookHeaders): Uint8Array<ArrayBuffer>[] {
  return headerOf(headers, 'webhook-signature')
    .split(' ')
    .flatMap((one) => {
      const [, text] = /^v1,([A-Za-z0-9+/]+={0,2})$/.exec(one) ?? [];
      return text === undefined || text.length % 4 !== 0 ? [] : [decoded(text)];
    });
}

async function keysOf(secrets: string | readonly string[]) {
  const all = typeof secrets === 'string' ? [secrets] : [...(secrets ?? [])];
  const keys = all.map((secret) => {
    const [, text] = SECRET.exec(secret ?? '') ?? [];
    if (text === undefined || text.length % 4 !== 0)
      throw new TypeError('The secret of a webhook is whsec_ and base64, as POST /v1/webhooks returned it.');
    return crypto.subtle.importKey('raw', decoded(text), HMAC, false, ['verify']);
  });
  if (keys.length === 0) throw new TypeError('Give the secret of the webhook.');
  return Promise.all(keys);
}

function bytesOf(signed: string, body: string | Uint8Array): Uint8Array<ArrayBuffer> {
  if (typeof body !== 'string' && !(body instanceof Uint8Array))
    throw new TypeError(
      'Give the body as text or bytes, as it was received: a parsed body cannot be verified.',
    );
  const parts = [signed, body].map((part) =>
    typeof part === 'string' ? new TextEncoder().encode(part) : part,
  );
  const bytes = new Uint8Array(parts[0]!.length + parts[1]!.length);
  bytes.set(parts[0]!);
  bytes.set(parts[1]!, parts[0]!.length);
  return bytes;
}

const decoded = (base64: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));

function jsonOf(text: string): Partial<Record<string, unknown>> | undefined {
  try {
    return JSON.parse(text) as Partial<Record<string, unknown>> | undefined;
  } catch {
    return undefined;
  }
}
