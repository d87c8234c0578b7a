import { setTimeout as pause } from 'node:timers/promises';

const PATIENCE_MS = 15_000;

/** A connection that was cut in the meantime is up again after this pause. */
const PAUSE_MS = 100;

/** Messages of ioredis for commands and connections that got no answer. */
const NO_ANSWER =
  /Command timed out|Socket timeout|connect ETIMEDOUT|Reached the max retries|Stream isn't writeable|Connection is closed/;

const isUnanswered = (error: unknown): boolean => error instanceof Error && NO_ANSWER.test(error.message);

/**
 * Asks Redis for what a process needs before it serves. A starting process is busy and may read an answer too
 * late, so the question is repeated for fifteen seconds. A Redis that is down, or refuses, is an error at
 * once.
 */
export async function askAtStart<T>(ask: () => Promise<T>): Promise<T> {
  const since = performance.now();
  for (;;)
    try {
      return await ask();
    } catch (error) {
      if (!isUnanswered(error)) throw error;
      if (performance.now() - since > PATIENCE_MS)
        throw new Error('Redis does not answer.', { cause: error });
      await pause(PAUSE_MS);
    }
}
