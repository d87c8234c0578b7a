/**
 * Items in groups, in the order in which the groups first occur. `positions` has, for each item, its
 * index in the concatenation of all groups.
 */
export interface Groups<T> {
  readonly groups: T[][];
  readonly positions: number[];
}

export function groupsOf<T>(items: readonly T[], keyOf: (item: T) => string): Groups<T> {
  const groups = new Map<string, { items: T[]; indices: number[] }>();
  items.forEach((item, index) => {
    const key = keyOf(item);
    let group = groups.get(key);
    if (!group) groups.set(key, (group = { items: [], indices: [] }));
    group.items.push(item);
    group.indices.push(index);
  });

  const positions = new Array<number>(items.length);
  let position = 0;
  for (const { indices } of groups.values()) for (const index of indices) positions[index] = position++;
  return { groups: Array.from(groups.values(), (group) => group.items), positions };
}
