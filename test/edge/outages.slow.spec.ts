import { Client, type ClientConfig } from 'pg';
import { freePort, startPostgres } from '../../src/dev/engines';
import { isDataFault, isHeldUp, isOutage } from '../../src/platform/postgres';
import { ImpatientClient } from '../../src/platform/postgres/impatient-client';
import { createDatabase, databaseUrl, onServer, type TestDatabase } from '../harness/engines';
import { freezePostgres } from '../harness/own-postgres';
import { TcpProxy } from '../harness/tcp-proxy';

/** Longer than any answer takes here, in milliseconds. */
const SILENCE_MS = 3_000;

let database: TestDatabase;
let proxy: TcpProxy;
let through: string;

beforeAll(async () => {
  database = await createDatabase();
  ({ proxy, url: through } = await TcpProxy.before(database.url));
  await onServer('create role nobody nologin');
});

afterEach(() => proxy.heal());

afterAll(async () => {
  await proxy.stop();
  await database.drop();
  await onServer('drop role nobody');
});

type Work = (client: Client) => Promise<unknown>;

async function failure(work: Work, options: ClientConfig = {}): Promise<unknown> {
  const config = { connectionString: through, query_timeout: SILENCE_MS, ...options };
  const client = new ImpatientClient({ ...config, connectionTimeoutMillis: SILENCE_MS });
  try {
    await client.connect();
    await work(client);
    return 'no failure';
  } catch (error) {
    return error;
  } finally {
    client.end().catch(() => undefined);
  }
}

const saying =
  (...statements: string[]): Work =>
  async (client) => {
    for (const statement of statements) await client.query(statement);
  };

const deadlock: Work = async (client) => {
  const other = new Client({ connectionString: database.url });
  await other.connect();
  try {
    for (const one of [client, other]) await one.query(`begin; set local deadlock_timeout = '1s'`);
    await other.query(`set local deadlock_timeout = '1min'`);
    await client.query('select pg_advisory_xact_lock(1)');
    await other.query('select pg_advisory_xact_lock(2)');
    const waiting = other.query('select pg_advisory_xact_lock(1)');
    // The other session gets its lock first. Otherwise its query would fail unhandled.
    await client.query('select pg_advisory_xact_lock(2)').finally(async () => {
      await client.query('rollback');
      await waiting;
    });
  } finally {
    await other.end();
  }
};

const whileLocked =
  (statement: string): Work =>
  async (client) => {
    const other = new Client({ connectionString: database.url });
    await other.connect();
    await other.query('begin; lock table account');
    await client.query(statement).finally(() => other.end());
  };

const lost =
  (cut: () => unknown): Work =>
  async (client) => {
    await client.query('select 1');
    await cut();
    await client.query('select pg_sleep(60)');
  };

const terminating: Work = async (client) => {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  await Promise.all([
    client.query('select pg_sleep(60)'),
    onServer(`select pg_terminate_backend(${rows[0]!.pid})`),
  ]);
};

describe('an error that counts as an outage:', () => {
  const STATEMENTS: Record<string, readonly [string, Work]> = {
    'a server that is read-only': [
      '25006',
      saying('begin transaction read only', `insert into setting values ('a', 'b')`),
    ],
    'a full disk': ['53100', saying(`copy (select repeat('x', 100000)) to '/dev/full'`)],
    'too little room for temporary files': [
      '53400',
      saying(
        `set temp_file_limit = '64kB'; set work_mem = '64kB'`,
        `select count(*) from (select repeat('x', 100) || i from generate_series(1, 9000) as i order by 1 desc offset 1) as s`,
      ),
    ],
    'a disk that cannot be read': [
      '58030',
      saying(`create temp table t (x text)`, `copy t from '/proc/self/mem'`),
    ],
    'a file that is gone': ['58P01', saying(`select pg_read_file('gone')`)],
    'a statement that took too long': ['57014', saying('set statement_timeout = 50', 'select pg_sleep(60)')],
    'a lock that did not come in time': ['55P03', whileLocked('set lock_timeout = 50; select from account')],
    'a lock that was not waited for': ['55P03', whileLocked('begin; lock table account nowait')],
    'a deadlock': ['40P01', deadlock],
    'a connection that the server ends': ['57P01', terminating],
    'a transaction that was idle for too long': [
      '25P03',
      async (client) => {
        const ended = new Promise((resolve) => client.once('end', () => resolve(undefined)));
        await client.query(`set idle_in_transaction_session_timeout = 50`);
        const failed = new Promise((_, reject) => client.once('error', reject));
        await Promise.all([client.query('begin'), Promise.race([failed, ended])]);
      },
    ],
    'a transaction that took too long': [
      '25P04',
      saying('set transaction_timeout = 50', 'begin', 'select pg_sleep(60)'),
    ],
  };

  it.each(Object.keys(STATEMENTS))('%s', async (name) => {
    const [code, work] = STATEMENTS[name]!;
    const error = await failure(work);
    expect([(error as { code?: string }).code, isOutage(error), isDataFault(error)]).toEqual([
      code,
      true,
      false,
    ]);
    expect(isHeldUp(error)).toBe(['55P03', '57014'].includes(code));
  });

  const NETWORK: Record<string, () => Promise<unknown>> = {
    'no server at that address': async () =>
      failure(saying(), { connectionString: `postgres://hongbao@127.0.0.1:${await freePort()}/postgres` }),
    'a host name that does not exist': () =>
      failure(saying(), { connectionString: 'postgres://hongbao@nowhere.invalid:5432/postgres' }),
    'a connection that is reset': () => failure(lost(() => proxy.reset())),
    'a connection that is closed without a word': () => failure(lost(() => proxy.hangUp())),
    'a reply that is lost': () => failure(lost(() => proxy.loseReplies(1))),
    'a connection that is half open': () => failure(lost(() => proxy.halfOpen())),
    'a server that accepts connections and says nothing': () => {
      proxy.mode = 'silent';
      return failure(saying());
    },
    'a server that refuses connections': () => {
      proxy.mode = 'refuse';
      return failure(saying());
    },
    'a connection that has failed before': () =>
      failure(async (client) => {
        const ended = new Promise((resolve) => client.once('end', () => resolve(undefined)));
        proxy.reset();
        await ended;
        await client.query('select 1');
      }),
    'a role that may not log in': () =>
      failure(saying(), { connectionString: databaseUrl('postgres', 'nobody') }),
    'a database that is not there': () => failure(saying(), { connectionString: databaseUrl('gone') }),
  };

  it.each(Object.keys(NETWORK))('%s', async (name) => {
    expect(outageOf(await NETWORK[name]!())).toMatchObject({ isOutage: true });
  });

  it.each(['ENETUNREACH', 'EHOSTDOWN', 'ENETDOWN', 'EADDRNOTAVAIL', 'ECONNABORTED', 'EMFILE', 'EIO'])(
    '%s of a connection',
    (code) => {
      expect(isOutage(Object.assign(new Error('connect'), { code, syscall: 'connect' }))).toBe(true);
    },
  );

  it('transaction numbers that have run out', () => {
    expect(isOutage(Object.assign(new Error('no more'), { code: '54000' }))).toBe(true);
  });

  it('a server that is frozen, starting, shutting down or killed', async () => {
    const server = await startPostgres({ localDir: process.env.LOCAL_DIR || '.local', durable: false });
    const here = { connectionString: server.url };
    try {
      let thaw!: () => void;
      const frozen = await failure(
        lost(async () => {
          thaw = await freezePostgres(server);
        }),
        here,
      );
      const unreachable = await failure(saying(), here);
      thaw();
      const killed = failure(
        lost(() => process.kill(server.pid, 'SIGKILL')),
        here,
      );
      for (const error of [frozen, unreachable, await killed])
        expect(outageOf(error)).toMatchObject({ isOutage: true });
    } finally {
      await server.stop();
    }
  });

  const outageOf = (error: unknown) => ({ error, isOutage: isOutage(error) });
});

describe('an error that does not count as an outage:', () => {
  const STATEMENTS: Record<string, readonly [string, Work, boolean]> = {
    'a row that is there already': [
      '23505',
      saying(`insert into setting values ('a', 'b')`, `insert into setting values ('a', 'b')`),
      true,
    ],
    'a value that is out of range': ['22003', saying('select 32767::smallint + 1::smallint'), true],
    'a function that refuses': ['P0001', saying(`do $$ begin raise 'no'; end $$`), true],
    'a table that is not there': ['42P01', saying('select from gone'), false],
    'a mistake of ours': ['42601', saying('selec 1'), false],
  };

  it.each(Object.keys(STATEMENTS))('%s', async (name) => {
    const [code, work, dataFault] = STATEMENTS[name]!;
    const error = await failure(work);
    expect([(error as { code?: string }).code, isOutage(error)]).toEqual([code, false]);
    expect([isDataFault(error), isHeldUp(error)]).toEqual([dataFault, false]);
  });

  it.each([
    [new Error('no')],
    ['text'],
    [undefined],
    [null],
    [{ code: 42 }],
    [{ code: 'ERR_INVALID_ARG_TYPE' }],
    [{ code: 'ENOENT', path: '/a/file' }],
  ])('%p', (error) => {
    expect(isOutage(error)).toBe(false);
  });
});
