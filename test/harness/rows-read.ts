import type { EntityManager } from 'typeorm';

/** The number of rows of a table and of its indexes that a transaction has read so far. */
export async function rowsRead(tx: EntityManager, table: string): Promise<number> {
  const [row] = await tx.query<{ rows: string }[]>(
    `select pg_stat_get_xact_tuples_returned('${table}'::regclass)
            + (select sum(pg_stat_get_xact_tuples_returned(indexrelid)) from pg_index where indrelid = '${table}'::regclass) as rows`,
  );
  return Number(row!.rows);
}
