import { retryAfterOf } from './api-problem';
import type { Fetch } from './operations';

const ATTEMPTS_MAX = 4;
const WAIT_SECONDS_MAX = 5;

export interface Outgoing {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: string | Blob;
  readonly signal?: AbortSignal;
  /** False: no repetition. */
  readonly patient?: boolean;
  /** The statuses after which it is repeated; 503 unless given. */
  readonly waitsFor?: readonly number[];
}

/** No answer came: wrong address, wrong network, or nothing runs there. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';

  constructor(origin: string, cause: Error) {
    const { code, message } = (cause.cause ?? {}) as { code?: string; message?: string };
    super(`${origin} does not answer: ${code ?? message ?? cause.message}`, { cause });
  }
}

const plainFetch: Fetch = (request) => fetch(request);

/** Repeats a request while the answer is 503 with a `Retry-After`, if repeating it has no second effect. */
export async function fetchPatiently(
  url: string,
  request: Outgoing,
  send: Fetch = plainFetch,
): Promise<Response> {
  for (let attempt = 1; ; attempt++) {
    const response = await answerTo(new Request(url, request), send);
    const seconds = secondsToWait(response, request.waitsFor);
    if (seconds === undefined || attempt === ATTEMPTS_MAX || !isRepeatable(request)) return response;
    await response.body?.cancel();
    await pause(seconds * 1000);
  }
}

/** `fetch` throws a TypeError when the network fails; else a sound request fails by its signal. */
async function answerTo(request: Request, send: Fetch): Promise<Response> {
  try {
    return await send(request);
  } catch (error) {
    // The name is compared because some programs have more than one TypeError.
    const hasFailed = (error as Error).name === 'TypeError';
    throw hasFailed ? new Unreachable(new URL(request.url).origin, error as Error) : error;
  }
}

function secondsToWait(response: Response, waitsFor: readonly number[] = [503]): number | undefined {
  const seconds = waitsFor.includes(response.status) ? retryAfterOf(response) : undefined;
  return seconds !== undefined && seconds <= WAIT_SECONDS_MAX ? seconds : undefined;
}

function isRepeatable({ method, headers, patient = true }: Outgoing): boolean {
  if (!patient) return false;
  return method === 'GET' || (method === 'POST' && 'idempotency-key' in headers);
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
