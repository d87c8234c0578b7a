/**
 * What the commands of a pipeline or transaction answered, in their order.
 *
 * @throws the first error among them
 */
export function repliesOf(results: [Error | null, unknown][] | null): unknown[] {
  return (results ?? []).map(([error, reply]) => {
    if (error) throw error;
    return reply;
  });
}
