import type { GivenAnswer } from '../harness/api-document';
import type { FuzzRequest } from './make-request';

export type FuzzAnswer = Omit<GivenAnswer, 'method' | 'path'>;

/** Traces of internals that must not leave the system. */
export const LEAK =
  /node_modules|\\n\s+at |insert into|select .+ from|\brp:\{|postgres:\/\/|redis:\/\/|ECONNREFUSED|QueryFailed/i;

/** Routes of pages, not of data. */
const PAGE = /^\/(docs|metrics|openapi|asyncapi)/;

/** Returns the fault of an answer; undefined if it has none. */
export function faultOf({ path }: FuzzRequest, { status, headers, body }: FuzzAnswer): string | undefined {
  const mayComeBack = headers['retry-after'] !== undefined;
  if (PAGE.test(path)) return status >= 500 ? `answered ${status}` : undefined;
  const isProblem = String(headers['content-type']).startsWith('application/problem+json');
  if (status >= 400 && status < 500 && !isProblem) return `answered ${status} without a problem`;
  return faultOfBody(status, mayComeBack, body);
}

/** Returns the fault of a body, whatever carried it. */
export function faultOfBody(status: number, mayComeBack: boolean, body: string): string | undefined {
  if (status >= 500 && !(status === 503 && mayComeBack)) return `answered ${status}`;
  if (LEAK.test(body)) return 'shows what nobody outside may see';
  if (status < 400) return undefined;
  const problem = parsed(body);
  if (problem === undefined || typeof problem.code !== 'string' || problem.status !== status)
    return `answered ${status} with a problem that is not one`;
  return undefined;
}

function parsed(body: string): { code?: unknown; status?: unknown } | undefined {
  try {
    return JSON.parse(body) as object;
  } catch {
    return undefined;
  }
}
