/** The time since the result arrived. */
const KEPT_MS = 1_000;

/**
 * Shares one look among all callers: only one is in progress at a time, and its result or error is kept for a
 * second.
 */
export function sharedLook<T>(look: () => Promise<T>): () => Promise<T> {
  let shared: Promise<T> | undefined;
  const forget = () => (shared = undefined);
  const forgetLater = () => void setTimeout(forget, KEPT_MS).unref();
  return () => {
    if (shared) return shared;
    shared = look();
    shared.then(forgetLater, forgetLater);
    return shared;
  };
}
