import { retryAfterOf } from './api-problem';

/** Three waits of at most five seconds. */
const ATTEMPTS_MAX = 4;
const WAIT_SECONDS_MAX = 5;

export interface Outgoing {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
  readonly signal?: AbortSignal;
}

/** Nobody has answered: wrong address, wrong network, or nothing runs there. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';

  constructor(origin: string, cause: Error) {
    const { code, message } = (cause.cause ?? {}) as { code?: string; message?: string };
    super(`${origin} does not answer: ${code ?? message ?? cause.message}`, { cause });
  }
}

/**
 * Sends a request again while the answer is that something is away for a moment (503 with a `Retry-After`), a few times, and
 * only where a second arrival has no second effect. Whatever is answered last is returned.
 */
export async function fetchPatiently(url: string, request: Outgoing): Promise<Response> {
  for (let attempt = 1; ; attempt++) {
    const response = await answerTo(new Request(url, request));
    const seconds = secondsToWait(response);
    if (seconds === undefined || attempt === ATTEMPTS_MAX || !isRepeatable(request)) return response;
    await response.body?.cancel();
    await pause(seconds * 1000);
  }
}

/** For a request that is sound, `fetch` throws a TypeError where the network fails, and nothing else but what its signal says. */
async function answerTo(request: Request): Promise<Response> {
  try {
    return await fetch(request);
  } catch (error) {
    // By its name, because some programs have more than one TypeError.
    const hasFailed = (error as Error).name === 'TypeError';
    throw hasFailed ? new Unreachable(new URL(request.url).origin, error as Error) : error;
  }
}

function secondsToWait(response: Response): number | undefined {
  const seconds = response.status === 503 ? retryAfterOf(response) : undefined;
  return seconds !== undefined && seconds <= WAIT_SECONDS_MAX ? seconds : undefined;
}

function isRepeatable({ method, headers }: Outgoing): boolean {
  return method === 'GET' || (method === 'POST' && 'idempotency-key' in headers);
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
