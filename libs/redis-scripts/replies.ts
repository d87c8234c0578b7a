/**
 * Returns the answers of a pipeline or transaction, in the order of its commands.
 *
 * @throws the first error among them
 */
export function repliesOf(results: [Error | null, unknown][] | null): unknown[] {
  return (results ?? []).map(([error, reply]) => {
    if (error) throw error;
    return reply;
  });
}
