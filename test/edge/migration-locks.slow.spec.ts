import { Client } from 'pg';
import { DataSource } from 'typeorm';
import {
  dataSourceOptions,
  type MigrationClass,
  type Schema,
  withSessionLock,
} from '../../src/platform/postgres';
import { runMigrations } from '../../src/platform/postgres/migrate';
import { type Patience, PATIENCE } from '../../src/platform/postgres/short-locks';
import { schema } from '../../src/schema';
import { Books } from '../harness/books';
import { createDatabase, type TestDatabase, waitFor } from '../harness/engines';
import { plantedMigration } from '../harness/planted-migration';

const last = schema.migrations.at(-1)!.name;
const ATTEMPTS = 4;

const including = (migration: MigrationClass): Schema => ({
  ...schema,
  migrations: [...schema.migrations, migration],
});

const AddColour = plantedMigration({
  name: 'AddColour2000000000001',
  serves: last,
  statements: ['alter table activity add column colour text'],
});
const IndexNames = plantedMigration({
  name: 'IndexNames2000000000001',
  serves: last,
  transaction: false,
  statements: [
    'drop index concurrently if exists activity_by_name',
    'create index concurrently activity_by_name on activity (name)',
  ],
});

let database: TestDatabase;
let books: Books;
let stranger: Client;
let said: string[];

beforeEach(async () => {
  database = await createDatabase();
  books = await Books.of(database.url, {}, false);
  stranger = new Client({ connectionString: database.url, application_name: 'a stranger' });
  await stranger.connect();
  said = [];
});

afterEach(async () => {
  await stranger.end();
  await books.close();
  await database.drop();
});

const migrate = (migration: MigrationClass, patience: Partial<Patience> = {}): Promise<string[]> =>
  runMigrations(database.url, including(migration), {
    patience: { ...PATIENCE, pauseMs: 20, ...patience },
    report: (line) => said.push(line),
  });

/** Reads a table in a transaction that keeps its snapshot and stays open. */
const keepReading = async (): Promise<void> => {
  await stranger.query('begin isolation level repeatable read');
  await stranger.query('select from activity');
};

const has = async (sql: string): Promise<boolean> => {
  const [row] = await books.dataSource.query<{ found: boolean }[]>(`select exists (${sql}) as found`);
  return row!.found;
};

const hasColour = (): Promise<boolean> =>
  has(`select from pg_attribute where attrelid = 'activity'::regclass and attname = 'colour'`);

const isFree = async (table: string): Promise<boolean> =>
  !(await has(`select from pg_locks where relation = '${table}'::regclass and mode = 'AccessExclusiveLock'`));

const isIndexed = (): Promise<boolean> =>
  has(`select from pg_index where indexrelid = to_regclass('activity_by_name') and indisvalid`);

describe('a migration of a table that another session keeps locked', () => {
  it('gives up before programs that queue behind it fail, is retried, and succeeds once the lock is gone', async () => {
    await keepReading();
    const migrated = migrate(AddColour);
    while (said.length < ATTEMPTS) await books.dataSource.query('select from activity limit 1');
    expect(await hasColour()).toBe(false);
    await stranger.query('rollback');
    expect(await migrated).toEqual([AddColour.name]);
    expect(await hasColour()).toBe(true);
    expect(new Set(said)).toEqual(
      new Set([`${AddColour.name} is tried again: canceling statement due to lock timeout.`]),
    );
  });

  it('gives up in time with one line that names the likely obstacle, and has changed nothing', async () => {
    await keepReading();
    const [{ pid }] = (await stranger.query('select pg_backend_pid() as pid')).rows;
    await expect(migrate(AddColour, { givesUpAfterMs: 0 })).rejects.toThrow(
      new RegExp(
        `^${AddColour.name} gave up: canceling statement due to lock timeout. ` +
          `The oldest transaction is that of process ${pid} \\(a stranger\\), for \\d+ s\\.$`,
      ),
    );
    await stranger.query('rollback');
    expect(await hasColour()).toBe(false);
    expect(await migrate(AddColour)).toEqual([AddColour.name]);
  });

  it('cancels a statement that takes too long while it holds locks', async () => {
    const TakeLong = plantedMigration({
      name: 'TakeLong2000000000001',
      serves: last,
      statements: ['alter table activity add column colour text; select pg_sleep(600)'],
    });
    await expect(migrate(TakeLong, { statementTimeoutMs: 50, givesUpAfterMs: 0 })).rejects.toThrow(
      `${TakeLong.name} gave up: canceling statement due to statement timeout.`,
    );
    expect(await hasColour()).toBe(false);
  });

  it('releases its locks if its host freezes, before programs that queue behind it fail, and is retried', async () => {
    let comeBack = () => {};
    const vanished = new Promise<void>((resolve) => (comeBack = resolve));
    const Vanish = plantedMigration({
      name: 'Vanish2000000000001',
      serves: last,
      statements: ['alter table activity add column colour text'],
      then: () => vanished,
    });
    const migrated = migrate(Vanish);
    await waitFor(async () => !(await isFree('activity')), { what: 'the lock of the migration' });
    await books.dataSource.query('select from activity limit 1');
    comeBack();
    expect(await migrated).toEqual([Vanish.name]);
    expect(said).toEqual([expect.stringMatching(`^${Vanish.name} is tried again: `)]);
    expect(await hasColour()).toBe(true);
  });

  it('is retried after it has lost a deadlock', async () => {
    const LockBoth = plantedMigration({
      name: 'LockBoth2000000000001',
      serves: last,
      statements: [
        'alter table activity add column colour text',
        'alter table account add column colour text',
      ],
    });
    await stranger.query(`set deadlock_timeout = '1h'`);
    await stranger.query('begin');
    await stranger.query('lock table account in access share mode');
    const migrated = migrate(LockBoth, { lockTimeoutMs: 4_000, statementTimeoutMs: 0 });
    await waitFor(async () => (await books.blocked()).length > 0, { what: 'the migration to wait' });
    await stranger.query('select from activity');
    await stranger.query('rollback');
    expect(await migrated).toEqual([LockBoth.name]);
    expect(said).toEqual([`${LockBoth.name} is tried again: deadlock detected.`]);
  });
});

describe('a column that is added to claims', () => {
  it('does not disturb a winner who is being confirmed at that moment', async () => {
    const activityId = await books.activity({ packets: 1 });
    await books.claim(await books.activity({ packets: 1 }), ['ann']); // prepares the function on this connection
    await stranger.query('begin');
    await stranger.query('alter table claim add column colour text');
    const confirmed = books.claim(activityId, ['ann']);
    await waitFor(async () => (await books.blocked()).length > 0, { what: 'the confirmation to wait' });
    await stranger.query('commit');
    expect(await confirmed).toEqual([expect.any(String)]);
  });
});

describe('an index that is built concurrently', () => {
  it('waits for old transactions while all other sessions continue', async () => {
    await keepReading();
    const migrated = migrate(IndexNames);
    await waitFor(async () => (await books.blocked()).length > 0, { what: 'the index to wait' });
    const activityId = await books.activity({ packets: 1 });
    expect(await books.claim(activityId, ['ann'])).toHaveLength(1);
    await stranger.query('rollback');
    expect(await migrated).toEqual([IndexNames.name]);
    expect(await isIndexed()).toBe(true);
    expect(said).toEqual([]);
  });

  it('is rebuilt after an attempt that gave up', async () => {
    await keepReading();
    const failing = migrate(IndexNames, { backgroundLockTimeoutMs: 50, givesUpAfterMs: 0 });
    await expect(failing).rejects.toThrow(
      `${IndexNames.name} gave up: canceling statement due to lock timeout.`,
    );
    expect(await isIndexed()).toBe(false);
    await stranger.query('rollback');
    expect(await migrate(IndexNames)).toEqual([IndexNames.name]);
    expect(await isIndexed()).toBe(true);
  });

  it('does not wait for other processes that are waiting for their turn to migrate', async () => {
    const done = await Promise.all([migrate(IndexNames), migrate(IndexNames), migrate(IndexNames)]);
    expect(done.flat()).toEqual([IndexNames.name]);
  });
});

describe('the lock that keeps a second run out', () => {
  it('is free half a minute after its host has vanished', async () => {
    const options = dataSourceOptions({ databaseUrl: database.url, poolMax: 1, patient: true });
    const session = await new DataSource(options).initialize();
    await withSessionLock(
      session,
      1,
      () => Promise.reject(new Error('taken')),
      () => Promise.resolve(),
    );
    const [{ seconds }] = await session.query<[{ seconds: number }]>(
      `select (select setting::integer from pg_settings where name = 'tcp_keepalives_idle')
              + (select setting::integer from pg_settings where name = 'tcp_keepalives_interval')
                * (select setting::integer from pg_settings where name = 'tcp_keepalives_count') as seconds`,
    );
    await session.destroy();
    expect(seconds).toBe(30);
  });
});
