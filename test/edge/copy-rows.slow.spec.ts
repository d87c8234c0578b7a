import type { Socket } from 'node:net';
import { DataSource, type EntityManager } from 'typeorm';
import { copyRows, dataSourceOptions, isOutage, isUniqueViolation } from '../../src/platform/postgres';
import { ImpatientClient } from '../../src/platform/postgres/impatient-client';
import { createDatabase, onServer, type TestDatabase, waitFor } from '../harness/engines';
import { TcpProxy } from '../harness/tcp-proxy';

const ROWS_PER_PAGE = 1_000;
const PAGES = 20;
const SILENCE_MS = 2_000;

async function* pages(before: (page: number) => unknown = () => undefined): AsyncGenerator<string> {
  for (let page = 0; page < PAGES; page++) {
    await before(page);
    yield Array.from({ length: ROWS_PER_PAGE }, (_, i) => `${page * ROWS_PER_PAGE + i}\tthing\n`).join('');
  }
}

describe('rows that are copied', () => {
  let database: TestDatabase;
  let proxy: TcpProxy;
  let source: DataSource;
  let tables = 0;
  let table: string;

  beforeAll(async () => {
    database = await createDatabase();
    const through = await TcpProxy.before(database.url);
    proxy = through.proxy;
    const extra = { Client: ImpatientClient, query_timeout: SILENCE_MS };
    const options = dataSourceOptions({ databaseUrl: through.url, poolMax: 1 });
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

  const socketOf = async (tx: EntityManager): Promise<Socket> =>
    ((await tx.queryRunner!.connect()) as { connection: { stream: Socket } }).connection.stream;

  const copy = (before?: (page: number, socket: Socket) => unknown): Promise<unknown> =>
    source.transaction(async (tx) => {
      const socket = await socketOf(tx);
      await copyRows(
        tx,
        `${table} (no, name)`,
        pages((page) => before?.(page, socket)),
      );
    });

  const midway = (happens: () => unknown) => (page: number) => (page === PAGES / 2 ? happens() : undefined);

  /** Counts over the only connection of the pool, or its replacement. */
  const count = async () =>
    (await source.query<{ count: number }[]>(`select count(*)::integer as count from ${table}`))[0]!.count;

  const failed = (work: Promise<unknown>) => work.then(() => undefined).catch((error: unknown) => error);

  it('are written in the transaction of the caller', async () => {
    await copy();
    expect(await count()).toBe(PAGES * ROWS_PER_PAGE);
  });

  it('are refused together if one of them is refused', async () => {
    await source.query(`insert into ${table} values (${7 * ROWS_PER_PAGE}, 'there before')`);
    expect(isUniqueViolation(await failed(copy()))).toBe(true);
    expect(await count()).toBe(1);
  });

  it('are not written if producing their text fails', async () => {
    const error = new Error('no words');
    expect(await failed(copy(midway(() => Promise.reject(error))))).toBe(error);
    expect(await count()).toBe(0);
  });

  describe('are not written when their connection is lost, which is an outage:', () => {
    const terminate = (): Promise<void> => {
      const name = new URL(database.url).pathname.slice(1);
      return onServer(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);
    };

    /** One loss may show while writing, while reading, or while waiting for the next page. */
    const WAYS: Record<string, (socket: Socket) => unknown> = {
      'when the server ends it': terminate,
      'when the server ends it while more rows come': () => void terminate().catch(() => undefined),
      'when the network resets it': () => proxy.reset(),
      'when its next reply is lost': () => proxy.loseReplies(1),
      'when it is closed without a word': () => proxy.hangUp(),
      'when its own end of it breaks': (socket) => socket.destroy(),
      'when its own end of it breaks with an error': (socket) => socket.destroy(new Error('broken')),
    };

    it.each(Object.keys(WAYS))('%s', async (way) => {
      for (const at of [0, 1, 2, PAGES / 2, PAGES - 1, 0, 1, 2, PAGES / 2, PAGES - 1]) {
        // Rows that all arrived before the connection ended are written: then the next attempt has to fail.
        let error: unknown;
        while (error === undefined) {
          await source.query(`truncate ${table}`);
          error = await failed(copy((page, socket) => (page === at ? WAYS[way]!(socket) : undefined)));
          proxy.heal();
          await waitFor(() => source.query('select 1'), { what: 'another connection' });
        }
        expect({ at, error, isOutage: isOutage(error) }).toEqual({ at, error, isOutage: true });
        expect(await count()).toBe(0);
      }
    });
  });

  it('are not written if the server falls silent, which closes their connection and counts as an outage', async () => {
    const error = await failed(copy(midway(() => proxy.halfOpen())));
    expect(isOutage(error)).toBe(true);
    expect(await count()).toBe(0);
  });

  it('are not written if their connection was dead before the first row', async () => {
    const error = await failed(
      source.transaction(async (tx) => {
        const socket = await socketOf(tx);
        const closed = new Promise((resolve) => socket.once('close', resolve));
        socket.destroy();
        await closed;
        await copyRows(tx, `${table} (no, name)`, pages());
      }),
    );
    expect(isOutage(error)).toBe(true);
  });
});
