import { useState } from 'preact/hooks';

/** The rows of a table that the user has chosen. */
export interface RowChoice<Row> {
  readonly chosen: readonly Row[];
  readonly has: (row: Row) => boolean;
  /** Names a row to those who cannot see it. */
  readonly nameOf: (row: Row) => string;
  readonly choose: (rows: readonly Row[], isChosen: boolean) => void;
}

/** Rows that are no longer listed are not chosen. */
export function useRowChoice<Row>(
  rows: readonly Row[] | undefined,
  keyOf: (row: Row) => string,
  nameOf: (row: Row) => string,
): RowChoice<Row> {
  const [keys, setKeys] = useState<ReadonlySet<string>>(new Set());
  const has = (row: Row) => keys.has(keyOf(row));
  const choose = (changed: readonly Row[], isChosen: boolean) =>
    setKeys((before) => {
      const after = new Set(before);
      for (const row of changed)
        if (isChosen) after.add(keyOf(row));
        else after.delete(keyOf(row));
      return after;
    });
  return { chosen: rows?.filter(has) ?? [], has, nameOf, choose };
}
