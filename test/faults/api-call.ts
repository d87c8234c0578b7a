import { signToken } from '../../src/platform/http/auth/sign-token';
import { type Answer, call as request, type CallOptions } from '../harness/client';

/** The secret of the campaign's own processes, which only they can reach. */
export const JWT_SECRET = 'a-secret-for-the-fault-campaign-0123456789';

export const ANSWER_WITHIN_MS = 4_000;
export const RETRY_AFTER_MS = 120;
export const GIVE_UP_AFTER_MS = 40_000;

/** An operator's request got no answer, or a user's request no final answer. */
export class NoAnswer extends Error {}

export const tokenOf = (sub: string, role: 'user' | 'operator' = 'user'): string =>
  signToken({ secret: JWT_SECRET }, { sub, role });

export const call = (
  apiUrl: string,
  token: string,
  method: string,
  path: string,
  sent: Pick<CallOptions, 'key' | 'body' | 'text' | 'headers'> = {},
): Promise<Answer> =>
  request(apiUrl, token, method, path, { ...sent, signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
