import type { EntityManager } from 'typeorm';

/**
 * Reads rows through a cursor: planned once, and never all in memory. While the caller works on a page, the
 * next page is being read, so the transaction cannot be used for anything else until the end.
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
    // A caller that leaves early may continue with the transaction.
    await next.catch(() => undefined);
  }
  await tx.query('close page');
}

function fetchPage<Row>(tx: EntityManager, size: number): Promise<Row[]> {
  const page = tx.query<Row[]>(`fetch ${size} from page`);
  // It may fail while the caller is working on a page; the caller gets the error afterwards.
  page.catch(() => undefined);
  return page;
}
