import { ApiProblem, UnexpectedAnswer } from './api-problem';
import { Unreachable } from './patient-fetch';

/**
 * Why an answer takes longer: there are too many requests, a service is down, the API is out of reach,
 * or the win is being confirmed.
 */
export type Hurdle = 'busy' | 'away' | 'unreachable' | 'reserved';

const FIRST_WAIT_SECONDS = 1;
const WAIT_SECONDS_MAX = 10;
const PROXY_STATUS = [429, 502, 503, 504];

/** Undefined when another attempt will not help. */
export function hurdleOf(error: unknown): Hurdle | undefined {
  if (error instanceof Unreachable) return 'unreachable';
  if (error instanceof ApiProblem)
    return error.code === 'idempotency.in_flight' ? 'away' : hurdleOfStatus(error.status);
  if (error instanceof UnexpectedAnswer && PROXY_STATUS.includes(error.status)) return 'away';
  return undefined;
}

function hurdleOfStatus(status: number): Hurdle | undefined {
  if (status === 429) return 'busy';
  return status === 503 ? 'away' : undefined;
}

/** Asks at growing, spread intervals, so that refused users do not all return at once. */
export async function patiently<T>(
  ask: () => Promise<T>,
  { signal, onHurdle }: { signal: AbortSignal; onHurdle: (hurdle: Hurdle) => void },
): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await ask();
    } catch (error) {
      const hurdle = hurdleOf(error);
      if (hurdle === undefined || signal.aborted) throw error;
      onHurdle(hurdle);
      await pause(waitSeconds(error, attempt) * 1000, signal);
    }
  }
}

function waitSeconds(error: unknown, attempt: number): number {
  const asked = error instanceof ApiProblem ? error.retryAfterSeconds : undefined;
  const seconds = asked ?? Math.min(FIRST_WAIT_SECONDS * 2 ** attempt, WAIT_SECONDS_MAX);
  return seconds * (1 + Math.random() / 2);
}

/** Browsers say when they leave a network and are back on one; Node does not. */
export const page = globalThis as Partial<EventTarget>;

/** Ends early when the signal is aborted, and when the browser is back on a network. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const over = () => {
      clearTimeout(timer);
      page.removeEventListener?.('online', over);
      signal.removeEventListener('abort', over);
      resolve();
    };
    const timer = setTimeout(over, ms);
    page.addEventListener?.('online', over);
    signal.addEventListener('abort', over);
  });
}
