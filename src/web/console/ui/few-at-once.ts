/**
 * A browser opens six connections to a host. While an engine hangs, each of these requests holds one for
 * seconds, and those that say what is wrong need the others.
 */
const AT_ONCE_MAX = 2;

let underWay = 0;
const waiting: (() => void)[] = [];

/** Sends a request as soon as few others that were sent through here are under way. */
export async function fewAtOnce<T>(signal: AbortSignal | undefined, ask: () => Promise<T>): Promise<T> {
  if (underWay < AT_ONCE_MAX) underWay += 1;
  else await new Promise<void>((go) => waiting.push(go));
  try {
    signal?.throwIfAborted();
    return await ask();
  } finally {
    const next = waiting.shift();
    if (next) next();
    else underWay -= 1;
  }
}
