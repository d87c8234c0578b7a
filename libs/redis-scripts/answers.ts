/**
 * What those answered that did, in their order: in a cluster a master that is away keeps nobody from the others.
 *
 * @throws the first error when nobody did
 */
export async function answersOf<T>(asked: readonly Promise<T>[]): Promise<T[]> {
  const settled = await Promise.allSettled(asked);
  const answers = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const [first] = settled;
  if (answers.length === 0 && first?.status === 'rejected') throw first.reason;
  return answers;
}
