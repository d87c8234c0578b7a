import type { EntityManager } from 'typeorm';

/**
 * Reads the rows of one query in slices through a cursor. The query is planned once, and its rows
 * are never all in memory.
 */
export async function* pagesOf<Row>(
  tx: EntityManager,
  sql: string,
  values: unknown[],
  size: number,
): AsyncGenerator<Row[]> {
  await tx.query(`declare page no scroll cursor for ${sql}`, values);
  for (;;) {
    const rows = await tx.query<Row[]>(`fetch ${size} from page`);
    if (rows.length === 0) break;
    yield rows;
  }
  await tx.query('close page');
}
