import type { EntityManager } from 'typeorm';

/**
 * Reads rows through a cursor: planned once, and never all in memory. While the caller works on a
 * page, the next one is under way, so the transaction is for nothing else until the end.
 */
export async function* pagesOf<Row>(
  tx: EntityManager,
  sql: string,
  values: unknown[],
  size: number,
): AsyncGenerator<Row[]> {
  await tx.query(`declare page no scroll cursor for ${sql}`, values);
  let next = fetchPage<Row>(tx, size);
  try {
    for (let rows = await next; rows.length > 0; rows = await next) {
      next = fetchPage(tx, size);
      yield rows;
    }
  } finally {
    // A caller that leaves early may go on with the transaction.
    await next.catch(() => undefined);
  }
  await tx.query('close page');
}

function fetchPage<Row>(tx: EntityManager, size: number): Promise<Row[]> {
  const page = tx.query<Row[]>(`fetch ${size} from page`);
  // It may fail while the caller is at work, who hears of it afterwards.
  page.catch(() => undefined);
  return page;
}
