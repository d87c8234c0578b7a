import type { PoolClient } from 'pg';
import type { DataSource, QueryRunner } from 'typeorm';
import { isPooled } from './time-limits';

/**
 * Does what one process may do at a time, as long as the connection stands: a lock of its session ends with it.
 *
 * @param waitTurn whether to go on; called again and again while somebody else does the same
 * @throws Error with one line behind a pooler, which would give the lock of a session to somebody else
 */
export async function withSessionLock<T>(
  dataSource: DataSource,
  lock: number,
  waitTurn: () => Promise<void>,
  work: () => Promise<T>,
): Promise<T> {
  const session = dataSource.createQueryRunner();
  try {
    await refusePooler(session);
    while (!(await tryLock(session, lock))) await waitTurn();
    return await work();
  } finally {
    await session.query('select pg_advisory_unlock($1)', [lock]).catch(() => undefined);
    await session.release();
  }
}

async function refusePooler(session: QueryRunner): Promise<void> {
  if (await isPooled((await session.connect()) as PoolClient))
    throw new Error('This leads through a pooler: set MIGRATION_DATABASE_URL to Postgres itself.');
}

/** Does not wait in Postgres: an index that is built concurrently would wait for the statement that waits. */
async function tryLock(session: QueryRunner, lock: number): Promise<boolean> {
  const [row] = (await session.query('select pg_try_advisory_lock($1) as taken', [lock])) as [
    { taken: boolean },
  ];
  return row.taken;
}
