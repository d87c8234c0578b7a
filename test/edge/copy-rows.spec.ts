import { DataSource } from 'typeorm';
import { copyRows, dataSourceOptions, isOutage, isUniqueViolation } from '../../src/platform/postgres';
import { ImpatientClient } from '../../src/platform/postgres/impatient-client';
import { createDatabase, onServer, type TestDatabase } from '../support/engines';
import { TcpProxy } from '../support/tcp-proxy';

const ROWS_PER_PAGE = 1_000;
const PAGES = 20;
const SILENCE_MS = 2_000;

/** What happens while the rows are on their way. */
async function* pages(midway: () => Promise<unknown> = async () => undefined): AsyncGenerator<string> {
  for (let page = 0; page < PAGES; page++) {
    if (page === PAGES / 2) await midway();
    yield Array.from({ length: ROWS_PER_PAGE }, (_, i) => `${page * ROWS_PER_PAGE + i}\tthing\n`).join('');
  }
}

describe('many rows', () => {
  let database: TestDatabase;
  let proxy: TcpProxy;
  let source: DataSource;
  let tables = 0;
  let table: string;

  beforeAll(async () => {
    database = await createDatabase();
    const url = new URL(database.url);
    proxy = await TcpProxy.start(Number(url.port));
    url.port = String(proxy.port);
    const extra = { Client: ImpatientClient, query_timeout: SILENCE_MS };
    const options = dataSourceOptions({ databaseUrl: url.href, poolMax: 1 });
    source = await new DataSource({ ...options, extra }).initialize();
  });

  afterAll(async () => {
    await source.destroy();
    await proxy.stop();
    await database.drop();
  });

  beforeEach(async () => {
    table = `table_${(tables += 1)}`;
    await source.query(`create table ${table} (no integer primary key, name text)`);
  });

  const copy = (midway?: () => Promise<unknown>): Promise<unknown> =>
    source.transaction((tx) => copyRows(tx, `${table} (no, name)`, pages(midway)));

  /** By the same connection, or by the one that has taken its place: the pool has no other. */
  const count = async () =>
    (await source.query<{ count: number }[]>(`select count(*)::integer as count from ${table}`))[0]!.count;

  const failed = (work: Promise<unknown>) => work.then(() => undefined).catch((error: unknown) => error);

  it('are written in the transaction of the caller', async () => {
    await copy();
    expect(await count()).toBe(PAGES * ROWS_PER_PAGE);
  });

  it('are refused together when one of them is', async () => {
    await source.query(`insert into ${table} values (${7 * ROWS_PER_PAGE}, 'there before')`);
    expect(isUniqueViolation(await failed(copy()))).toBe(true);
    expect(await count()).toBe(1);
  });

  it('are given up when they cannot be put into words', async () => {
    const error = new Error('no words');
    expect(await failed(copy(() => Promise.reject(error)))).toBe(error);
    expect(await count()).toBe(0);
  });

  it('are lost with their connection, which is an outage', async () => {
    const name = new URL(database.url).pathname.slice(1);
    const end = `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`;
    expect(isOutage(await failed(copy(() => onServer(end))))).toBe(true);
    expect(await count()).toBe(0);
  });

  it('are given up, and their connection with them, when the server falls silent', async () => {
    expect(await failed(copy(async () => proxy.halfOpen()))).toBeInstanceOf(Error);
    expect(await count()).toBe(0);
  });
});
