/** The wall puts these first, in this order: they stand in its address, so that a link shows others the same. */
export const FIRST = 'first';

/** Puts those that were chosen before the others, which keep their order. */
export function inOrder<Row extends { readonly id: string }>(
  rows: readonly Row[],
  first = '',
): readonly Row[] {
  const chosen = first.split(',').flatMap((id) => rows.find((row) => row.id === id) ?? []);
  return [...chosen, ...rows.filter((row) => !chosen.includes(row))];
}

/** Returns the choice with this one at its head. */
export const withFirst = (id: string, first = ''): string =>
  [id, ...first.split(',').filter((one) => one !== '' && one !== id)].join(',');
