import { Pool } from 'pg';
import { isOutage } from '../../src/platform/postgres';
import { ImpatientClient } from '../../src/platform/postgres/impatient-client';
import { createDatabase, onServer, type TestDatabase, waitFor } from '../harness/engines';

describe('a connection to Postgres', () => {
  let database: TestDatabase;
  let pool: Pool;

  beforeAll(async () => {
    database = await createDatabase();
    pool = new Pool({ connectionString: database.url, Client: ImpatientClient });
    pool.on('error', () => undefined);
  });

  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  it('does not end the process when it dies without an error listener', async () => {
    const client = await pool.connect();
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    const ended = new Promise((resolve) => client.once('end', () => resolve(undefined)));
    await onServer(`select pg_terminate_backend(${rows[0]!.pid})`);
    await ended;

    expect(isOutage(await client.query('select 1').catch((error: unknown) => error))).toBe(true);
    client.release();
    await waitFor(async () => (await pool.query('select 1')).rowCount === 1, { what: 'another connection' });
  });
});
