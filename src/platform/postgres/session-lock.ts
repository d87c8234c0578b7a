import type { PoolClient } from 'pg';
import type { DataSource, QueryRunner } from 'typeorm';
import { isPooled } from './time-limits';

/** A vanished host is noticed within half a minute; by default it keeps its lock for two hours. */
const KEEPALIVES =
  'set tcp_keepalives_idle = 10; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 4';

/**
 * Runs work that only one process may do at a time. The lock ends with the connection.
 *
 * @param waitTurn called again and again while another process has the lock: it pauses, or throws to give up
 * @throws Error with one line if there is a pooler in between: it would give the lock to another client
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
    await session.query(KEEPALIVES);
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

/** Does not wait in Postgres: building an index concurrently would wait for that statement. */
async function tryLock(session: QueryRunner, lock: number): Promise<boolean> {
  const [row] = (await session.query('select pg_try_advisory_lock($1) as taken', [lock])) as [
    { taken: boolean },
  ];
  return row.taken;
}
