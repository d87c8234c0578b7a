/**
 * Does the work for each item in turn, even after one has failed, so that no item suffers from another's failure.
 * Ends early when the process stops.
 * @throws the first failure, at the end
 */
export async function eachInTurn<T>(
  items: Iterable<T>,
  stopping: AbortSignal,
  work: (item: T) => Promise<unknown>,
): Promise<void> {
  const failures: unknown[] = [];
  for (const item of items) {
    if (stopping.aborted) break;
    await work(item).catch((failure: unknown) => failures.push(failure));
  }
  if (failures.length > 0) throw failures[0];
}
