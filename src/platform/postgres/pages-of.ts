import type { EntityManager } from 'typeorm';

/** Reads rows through a cursor: planned once, and never all in memory. */
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
