import { Pool } from 'pg';
import { DataSource } from 'typeorm';
import { dataSourceOptions, isOutage } from '../../src/platform/postgres';
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

  it('is given up if it was opened while nothing could be written', async () => {
    const name = new URL(database.url).pathname.slice(1);
    const write = 'create table if not exists written ()';
    await onServer(`alter database ${name} set default_transaction_read_only = on`);
    const other = new Pool({ connectionString: database.url, Client: ImpatientClient, max: 1 });
    other.on('error', () => undefined);
    const isWritten = async () => {
      const client = await other.connect();
      return client
        .query(write)
        .then(
          () => true,
          () => false,
        )
        .finally(() => client.release());
    };

    expect(await isWritten()).toBe(false);
    await onServer(`alter database ${name} reset default_transaction_read_only`);
    await waitFor(isWritten, { timeoutMs: 5_000, what: 'a connection that writes' });
    await other.end();
  });

  it('reads times and texts alike whatever an administrator has set for the database', async () => {
    const { pathname } = new URL(database.url);
    for (const setting of [`datestyle = 'German'`, 'standard_conforming_strings = off'])
      await onServer(`alter database ${pathname.slice(1)} set ${setting}`);
    const other = new Pool({ connectionString: database.url, Client: ImpatientClient });

    const { rows } = await other.query<{ at: Date; text: string }>(
      String.raw`select timestamptz '2031-02-01 20:00:00Z' as at, 'a\.b' as text`,
    );
    expect(rows).toEqual([{ at: new Date('2031-02-01T20:00:00Z'), text: String.raw`a\.b` }]);
    await other.end();
  });

  it('for taps stays open however long no user taps', async () => {
    const settings = { databaseUrl: database.url, poolMax: 1, standing: true };
    const urgent = await new DataSource(dataSourceOptions(settings)).initialize();
    const session = () => urgent.query('select pg_backend_pid() as pid');
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
    try {
      const opened = await session();
      jest.advanceTimersByTime(24 * 3_600_000);
      expect(await session()).toEqual(opened);
    } finally {
      jest.useRealTimers();
      await urgent.destroy();
    }
  });

  it('does not end the process if it dies without an error listener', async () => {
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
