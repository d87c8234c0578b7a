/**
 * Shares one lookup among all callers: only one is in progress at a time, and its result or error is kept for
 * a second.
 *
 * @param keptMs counted from the arrival of the result
 */
export function sharedLook<T>(look: () => Promise<T>, keptMs = 1_000): () => Promise<T> {
  let shared: Promise<T> | undefined;
  const forget = () => (shared = undefined);
  const forgetLater = () => void setTimeout(forget, keptMs).unref();
  return () => {
    if (shared) return shared;
    shared = look();
    shared.then(forgetLater, forgetLater);
    return shared;
  };
}
