/**
 * Returns the answers of a pipeline or transaction, in order.
 * @throws the first error among them
 */
export function repliesOf(results: [Error | null, unknown][] | null): unknown[] {
  return (results ?? []).map(([error, reply]) => {
    if (error) throw error;
    return reply;
  });
}
