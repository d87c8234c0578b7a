export interface Stretch {
  readonly first: string;
  readonly last: string;
}

const ID_MAX = 2n ** 63n - 1n;

/**
 * Divides ids of activities into stretches within one partition each: a statement that names a
 * stretch as its bounds locks and reads one partition of each table. After a change of the size of
 * partitions, a stretch may touch two older ones.
 */
export function stretchesOf(ids: readonly string[], activitiesEach: number): Stretch[] {
  const stretches = new Map<bigint, { first: bigint; last: bigint }>();
  for (const id of new Set(ids)) {
    const number = BigInt(id);
    const place = number / BigInt(activitiesEach);
    const { first, last } = stretches.get(place) ?? { first: number, last: number };
    stretches.set(place, { first: number < first ? number : first, last: number > last ? number : last });
  }
  return Array.from(stretches)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([, { first, last }]) => ({ first: String(first), last: String(last) }));
}

/** The ids that share a partition with this activity. */
export function stretchAround(id: string, activitiesEach: number): Stretch {
  const [number, each] = [BigInt(id), BigInt(activitiesEach)];
  const first = number - (number % each);
  const last = first + each - 1n;
  return { first: String(first), last: String(last < ID_MAX ? last : ID_MAX) };
}
