export class DeadlineExceeded extends Error {
  override readonly name = 'DeadlineExceeded';

  constructor(timeoutMs: number) {
    super(`No result within ${timeoutMs} ms.`);
  }
}

/**
 * The result of `work` if it comes in time. Work that is late goes on unobserved: this bounds how long somebody waits,
 * not what is being done.
 *
 * @throws DeadlineExceeded after `timeoutMs` milliseconds
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
