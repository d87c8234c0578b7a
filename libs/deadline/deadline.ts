export class DeadlineExceeded extends Error {
  override readonly name = 'DeadlineExceeded';

  constructor(timeoutMs: number) {
    super(`No result within ${timeoutMs} ms.`);
  }
}

/**
 * Returns the result of `work` if it arrives in time. Late work continues unobserved.
 * @throws DeadlineExceeded
 */
export async function within<T>(timeoutMs: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new DeadlineExceeded(timeoutMs)), timeoutMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Returns a function that says how many milliseconds have passed, including those for which the machine was
 * suspended, during which the monotonic clock stands still. A wall clock that is set forward adds to them.
 */
export function stopwatch(): () => number {
  const [monotonicMs, wallMs] = [performance.now(), Date.now()];
  return () => Math.max(performance.now() - monotonicMs, Date.now() - wallMs);
}
