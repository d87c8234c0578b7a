import { setTimeout as pause } from 'node:timers/promises';

const PATIENCE_MS = 15_000;

/** A connection that was cut meanwhile stands again after that. */
const PAUSE_MS = 100;

/** In the words of ioredis: of a command, of a connection, and of what was asked while a silent connection was cut and made anew. */
const NO_ANSWER =
  /Command timed out|Socket timeout|connect ETIMEDOUT|Reached the max retries|Stream isn't writeable|Connection is closed/;

const isUnanswered = (error: unknown): boolean => error instanceof Error && NO_ANSWER.test(error.message);

/**
 * What a process asks Redis before it serves anybody. A process that starts is busy with itself, and on a slow machine it looks at
 * an answer only after the time for it is over. So a question without an answer is repeated for fifteen seconds; a Redis that is
 * away, or that refuses, is an error at once.
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
