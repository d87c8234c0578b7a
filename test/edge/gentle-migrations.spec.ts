import { type MigrationClass } from '../../src/platform/postgres';
import { runMigrations } from '../../src/platform/postgres/migrate';
import { timestampOf } from '../../src/platform/postgres/migration';
import { schema } from '../../src/schema';
import { Books } from '../harness/books';
import { createDatabase, databaseUrl, onServer, type TestDatabase } from '../harness/engines';
import { harmsOf } from '../harness/migration-judge';
import { bareSchema, plantedMigration } from '../harness/planted-migration';

const names = schema.migrations.map(({ name }) => name);

const [baseline, ...later] = schema.migrations;

describe('every migration after the baseline', () => {
  it('comes after all older migrations, and its name ends in its timestamp', () => {
    const timestamps = names.map(timestampOf);
    expect(timestamps.filter((timestamp) => !(timestamp > 1_600_000_000_000))).toEqual([]);
    expect(timestamps).toEqual([...timestamps].sort((a, b) => a - b));
    expect(new Set(timestamps).size).toBe(timestamps.length);
  });

  it('says which programs it serves, and does nothing that they would notice', async () => {
    const name = `gentle_${process.pid}`;
    await onServer(`create database ${name}`);
    const url = databaseUrl(name);
    await runMigrations(url, bareSchema([baseline!]));
    const books = await Books.of(url);
    const harms: Record<string, string[]> = {};
    for (const [i, migration] of later.entries()) {
      const found = await harmsOf(books.dataSource, migration, names.slice(0, i + 1));
      if (found.length > 0) harms[migration.name] = found;
    }
    await books.close();
    await onServer(`drop database ${name} with (force)`);
    expect(harms).toEqual({});
  });
});

it.each(['SQL_ASCII', 'LATIN1'])(
  'no schema is created in a database with the encoding %s',
  async (encoding) => {
    const name = `encoded_${process.pid}`;
    await onServer(`create database ${name} encoding '${encoding}' template template0`);
    const fault = `The database has the encoding ${encoding}: create it with encoding UTF8.`;
    await expect(runMigrations(databaseUrl(name), schema)).rejects.toThrow(fault);
    await onServer(`drop database ${name} with (force)`);
  },
);

it('no schema is created in a database that began with another migration, and the refusal says what to do', async () => {
  const name = `former_${process.pid}`;
  await onServer(`create database ${name}`);
  const url = databaseUrl(name);
  await onServer(
    `create table migrations (id serial primary key, timestamp bigint not null, name varchar not null);
     insert into migrations (timestamp, name) values (1, 'CreateSetting'), (2, 'CreateAccount')`,
    url,
  );
  await expect(runMigrations(url, schema)).rejects.toThrow(
    `No release has made this database: it has CreateSetting without ${baseline!.name}, with which every ` +
      'schema begins. Use an empty one: for `npm start`, delete both directories of data that it names.',
  );
  const books = await Books.of(url);
  const tables = await books.dataSource.query(`select from pg_tables where schemaname = 'public'`);
  await books.close();
  await onServer(`drop database ${name} with (force)`);
  expect(tables).toHaveLength(1);
});

describe('a migration that serves older programs', () => {
  let database: TestDatabase;
  let books: Books;

  beforeAll(async () => {
    database = await createDatabase();
    books = await Books.of(database.url);
  });

  afterAll(async () => {
    await books.close();
    await database.drop();
  });

  const harms = (statements: string[], plan: { serves?: string; transaction?: boolean } = {}) => {
    const migration: MigrationClass = plantedMigration({
      name: 'Planted2000000000001',
      serves: names.at(-1),
      statements,
      ...plan,
    });
    return harmsOf(books.dataSource, migration, names, false);
  };

  it.each<[string, string, string[]]>([
    [
      'builds an index',
      'create index on claim (amount_minor)',
      ['reads claim from end to end while it is locked'],
    ],
    [
      'adds a unique constraint',
      'alter table packet add constraint once unique (activity_id, amount_minor)',
      ['reads packet from end to end while it is locked'],
    ],
    [
      'changes the type of a column',
      'alter table claim alter column packet_no type bigint',
      ['rewrites claim while it is locked'],
    ],
    [
      'adds a column with a value for each row',
      'alter table claim add column token uuid default gen_random_uuid()',
      ['rewrites claim while it is locked'],
    ],
    [
      'demands a value of a column',
      'alter table activity alter column closed_at set not null',
      ['reads activity from end to end while it is locked'],
    ],
    [
      'checks a rule at once',
      'alter table transfer add constraint small check (amount_minor < 1000000)',
      ['reads transfer from end to end while it is locked'],
    ],
    [
      'fills in a column',
      'update activity set ending = ending',
      ['reads activity from end to end while it is locked'],
    ],
    [
      'adds a column that nobody fills in',
      'alter table claim add column colour text not null',
      [
        'reads claim from end to end while it is locked',
        'demands claim.colour, which older programs leave out',
      ],
    ],
    [
      'changes two tables at once',
      'alter table claim add column colour text; alter table account add column colour text',
      ['locks more than one table: account, claim'],
    ],
  ])('is reported if it %s in a transaction', async (_, statement, found) => {
    expect(await harms([statement])).toEqual(found);
  });

  it.each<[string, string[]]>([
    ['adds a column', ['alter table claim add column colour text']],
    [
      'adds a column with one value for all rows',
      ['alter table claim add column colour text not null default $$red$$'],
    ],
    [
      'makes a table with indexes',
      ['create table lamp (id bigint primary key, name text)', 'create index on lamp (name)'],
    ],
    [
      'states a rule for new rows',
      ['alter table transfer add constraint small check (amount_minor < 9) not valid'],
    ],
    ['drops a constraint', ['alter table activity drop constraint activity_window_ordered']],
  ])('may be one that %s', async (_, statements) => {
    expect(await harms(statements)).toEqual([]);
  });

  it('may make a column "not null" after an equivalent constraint was validated outside a transaction', async () => {
    await books.dataSource.query(
      'alter table activity add constraint ended check (ending is not null) not valid',
    );
    expect(await harms(['alter table activity validate constraint ended'], { transaction: false })).toEqual(
      [],
    );
    expect(await harms(['alter table activity alter column ending set not null'])).toEqual([]);
  });

  it('may build an index and validate a constraint outside a transaction, and nothing else', async () => {
    const gentle = [
      'create index concurrently by_amount on account (balance_minor)',
      'drop index concurrently by_amount',
    ];
    expect(await harms(gentle, { transaction: false })).toEqual([]);
    const harsh = ['create index by_amount on account (balance_minor)', 'drop index by_amount'];
    expect(await harms(harsh, { transaction: false })).toEqual(
      harsh.map((statement) => `runs outside of a transaction: ${statement}`),
    );
  });

  it('names an earlier migration, or itself if it serves no older program and may do anything', async () => {
    const harsh = ['alter table claim alter column packet_no type bigint'];
    expect(await harms([], { serves: undefined })).toEqual(['does not say which programs it serves']);
    expect(await harms([], { serves: 'Lamp2000000000000' })).toEqual([
      'serves Lamp2000000000000, which is not an earlier migration',
    ]);
    expect(await harms(harsh, { serves: 'Planted2000000000001' })).toEqual([]);
  });
});
