import { acceptedType } from '../input/accepted-type';
import type { ProblemRequest } from '../problems/problem-reply';

/** Types of a problem, the page last: it goes only to those who prefer it. */
const OFFERED = ['application/problem+json', 'application/json', 'text/html'] as const;

/**
 * Returns whether a person opens the address in a browser. Browsers say so in `Sec-Fetch-Dest`; over plain HTTP
 * they do not send it, and the types that they accept decide. Nobody navigates with a token.
 */
export function isNavigation({ method, headers }: ProblemRequest): boolean {
  if (headers === undefined || headers.authorization !== undefined) return false;
  if (method !== 'GET' && method !== 'HEAD') return false;
  const destination = headers['sec-fetch-dest'];
  if (destination !== undefined) return destination === 'document';
  return acceptedType(headers.accept, OFFERED) === 'text/html';
}
