const PATIENCE_MS = 15_000;

/** In the words of ioredis: of a command, also before it is ready, and of a connection. */
const isTimeout = (error: unknown): boolean =>
  error instanceof Error && /Command timed out$|^Socket timeout/.test(error.message);

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
      if (!isTimeout(error)) throw error;
      if (performance.now() - since > PATIENCE_MS)
        throw new Error('Redis does not answer.', { cause: error });
    }
}
