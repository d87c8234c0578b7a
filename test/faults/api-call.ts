import { signToken } from '../../src/commands/local/sign-token';
import { JWT_SECRET } from './secret';

export const ANSWER_WITHIN_MS = 4_000;
export const RETRY_AFTER_MS = 120;
export const GIVE_UP_AFTER_MS = 40_000;

/** A client whose operator request was never answered, or a user who never got a final answer. */
export class NoAnswer extends Error {}

// A test reads whatever the API sends.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Body = any;

export const tokenOf = (sub: string, role: 'user' | 'operator' = 'user'): string =>
  signToken({ secret: JWT_SECRET }, { sub, role });

export async function call(apiUrl: string, token: string, method: string, path: string, sent: object = {}) {
  const { key, body } = sent as { key?: string; body?: unknown };
  const response = await fetch(apiUrl + path, {
    method,
    signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    headers: {
      authorization: `Bearer ${token}`,
      ...(key !== undefined && { 'idempotency-key': key }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as Body };
}
