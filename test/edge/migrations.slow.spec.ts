import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ConfirmVerdict } from '../../src/core/grab/confirm/claim.repository';
import { Foundation } from '../../src/core/reconciliation/foundation';
import { type MigrationClass, type Schema } from '../../src/platform/postgres';
import { runMigrations } from '../../src/platform/postgres/migrate';
import { versioned } from '../../src/platform/postgres/stored-functions';
import { schema } from '../../src/schema';
import { Books, reservationOf } from '../harness/books';
import { CONFIRM_ALL, CONFIRM_FREE, CONFIRM_HELD, CONFIRM_LIMITED } from '../harness/confirm-functions';
import { databaseUrl, onServer } from '../harness/engines';
import { plantedMigration } from '../harness/planted-migration';

const CONFIRM = readFileSync(resolve('src', 'core', 'grab', 'confirm', 'confirm.sql'), 'utf8');
const OURS = [CONFIRM_ALL, CONFIRM_FREE, CONFIRM_HELD, CONFIRM_LIMITED];
const last = schema.migrations.at(-1)!.name;

/** The schema of a release whose confirmation function has another text. */
const withConfirmation = (from: string, to: string, of: Schema = schema): Schema => {
  const text = CONFIRM.replace(from, to);
  expect(text).not.toBe(CONFIRM);
  return { ...of, functions: [versioned('confirm/confirm.sql', text)] };
};

const other = withConfirmation('for key share', 'for share');

/** The schema of a release with these migrations in addition. */
const withMigrations = (...migrations: readonly MigrationClass[]): Schema => ({
  ...schema,
  migrations: [...schema.migrations, ...migrations],
});

const migration = (name: string, serves?: string): MigrationClass =>
  plantedMigration({ name, serves, statements: [`create table ${name} (id bigint primary key)`] });

const Lamp = migration('Lamp2000000000001', last);
const Lantern = migration('Lantern2000000000002', 'Lamp2000000000001');
const Breaking = migration('Breaking2000000000003');

let name: string;
let url: string;
let books: Books;
let said: string[];

beforeEach(async () => {
  name = `migrated_${randomUUID().replaceAll('-', '')}`;
  await onServer(`create database ${name}`);
  url = databaseUrl(name);
  books = await Books.of(url);
  said = [];
});

afterEach(async () => {
  await books.close();
  await onServer(`drop database ${name} with (force)`);
});

const migrate = (wanted: Schema = schema): Promise<string[]> =>
  runMigrations(url, wanted, { report: (line) => said.push(line) });

const confirm = async (activityId: string, userId: string, packetNo: number): Promise<ConfirmVerdict> =>
  (await books.claims.confirm([reservationOf(activityId, userId, packetNo)]))[0]!;

const namesOf = async (sql: string): Promise<string[]> =>
  (await books.dataSource.query<{ name: string }[]>(sql)).map((row) => row.name);

const functionNames = (): Promise<string[]> =>
  namesOf(`select oid::regprocedure::text as name from pg_proc where proname like 'confirm%' order by 1`);

const tableNames = (): Promise<string[]> =>
  namesOf(`select tablename as name from pg_tables where tablename ~ '\\d{13}$' order by 1`);

/** Expects the functions of this release, and no finding or pending migration. */
async function expectUpToDate(): Promise<void> {
  expect(await functionNames()).toEqual(expect.arrayContaining(OURS));
  const foundation = new Foundation(books.config, schema);
  expect((await foundation.inspect(books.dataSource)).faults).toEqual([]);
  expect(await migrate()).toEqual([]);
}

describe('a migration run', () => {
  it('runs the migrations on an empty database first, and then creates the functions', async () => {
    const done = await migrate();
    expect(done).toEqual([
      ...schema.migrations.map((one) => one.name),
      'activity/partitions.sql',
      'confirm/confirm.sql',
    ]);
    expect(await functionNames()).toEqual(OURS);
    await expectUpToDate();
  });

  it('and the programs after it work with any search_path and any quoting that an administrator has set for the database', async () => {
    for (const setting of ['search_path = elsewhere', 'quote_all_identifiers = on'])
      await onServer(`alter database ${name} set ${setting}`);
    expect(await migrate()).toContain(last);
    await books.close();
    books = await Books.of(url);
    expect(await functionNames()).toEqual(OURS);
    await expectUpToDate();
  });

  it('keeps the previous functions if the text of a new function is refused', async () => {
    await migrate();
    await expect(migrate(withConfirmation('from reservation', 'from nowhere at all'))).rejects.toThrow(
      'syntax',
    );
    await expectUpToDate();
  });

  it('refuses a file whose functions could replace functions of another release', async () => {
    await expect(migrate(withConfirmation('confirm_all_$version', 'confirm_each'))).rejects.toThrow(
      'creates confirm_each(bigint[],integer[],text[],bigint[],bigint[]), whose name does not end in _$version.',
    );
  });

  it.each([
    ['was dropped', `drop function ${CONFIRM_ALL}`],
    ['was changed by hand', `alter function ${CONFIRM_FREE} reset all`],
  ])('recreates a function that %s', async (_, harm) => {
    await migrate();
    await books.dataSource.query(harm);
    expect(await migrate()).toEqual(['confirm/confirm.sql']);
    await expectUpToDate();
  });
});

describe('a release with another confirmation function', () => {
  it('gets its own functions alongside those that running programs call', async () => {
    await migrate();
    await books.currencies.enterDefault();
    const activityId = await books.activity({ packets: 3 });
    const before = await confirm(activityId, 'ann', 1);
    expect(before).toEqual({ kind: 'confirmed', packet: expect.anything(), claimId: expect.any(String) });

    expect(await migrate(other)).toEqual(['confirm/confirm.sql']);
    expect(await functionNames()).toHaveLength(2 * OURS.length);
    expect(await confirm(activityId, 'ann', 1)).toEqual({ ...before, claimId: undefined });
    expect(await confirm(activityId, 'ann', 2)).toMatchObject({ kind: 'holds-other', packet: { no: 1 } });
    expect(await confirm(activityId, 'ben', 1)).toMatchObject({ kind: 'taken', ownerId: 'ann' });
    expect(await confirm(activityId, 'ben', 2)).toMatchObject({ kind: 'confirmed' });
    expect(await books.broken()).toEqual([]);
    await expectUpToDate();
    expect(await migrate(other)).toEqual([]);
  });

  it('may take other arguments and return other columns', async () => {
    await migrate();
    await migrate(withConfirmation('user_ids text[],', 'user_ids varchar[],'));
    await migrate(withConfirmation('packet_no integer, user_id text', 'packet_no bigint, user_id text'));
    expect(await functionNames()).toHaveLength(3 * OURS.length);
    await expectUpToDate();
  });

  it('keeps the previous functions for programs that its migrations serve, and drops them with the first migration that does not serve them', async () => {
    await migrate();
    await migrate({ ...other, migrations: withMigrations(Lamp).migrations });
    await migrate({ ...other, migrations: withMigrations(Lamp, Lantern).migrations });
    expect(await functionNames()).toEqual(expect.not.arrayContaining(OURS));
    expect(await functionNames()).toHaveLength(OURS.length);
  });

  it('keeps functions whose text has not changed, whichever programs are served', async () => {
    await migrate();
    expect(await migrate(withMigrations(Lamp, Lantern, Breaking))).not.toContain('confirm/confirm.sql');
    expect(await functionNames()).toEqual(OURS);
  });
});

describe('a program that is older than the database', () => {
  it('leaves a schema that serves it as it is, with functions and rights, and says so', async () => {
    await migrate();
    const newer = withConfirmation('for key share', 'for share', withMigrations(Lamp));
    await migrate({ ...newer, grants: { ...schema.grants, claim: 'select, insert, update (confirmed_at)' } });
    expect(await migrate()).toEqual([]);
    expect(said).toEqual([
      'The database is newer than this program, and serves it: it has Lamp2000000000001.',
    ]);
    expect(await functionNames()).toHaveLength(2 * OURS.length);
    expect(
      await namesOf(
        `select 'may' as name where has_column_privilege('hongbao_app', 'claim', 'confirmed_at', 'update')`,
      ),
    ).toEqual(['may']);
  });

  it('gets any missing functions that it calls, and keeps them', async () => {
    await migrate(withMigrations(Lamp));
    expect(await migrate(other)).toEqual(['confirm/confirm.sql']);
    expect(await migrate(withMigrations(Lamp))).toEqual([]);
    expect(await functionNames()).toHaveLength(2 * OURS.length);
    expect(await migrate(other)).toEqual([]);
  });

  it.each([
    ['serves only programs that know it', [Breaking], 'Breaking2000000000003'],
    ['serves only programs that are newer', [Lamp, Lantern], 'Lantern2000000000002'],
  ])('refuses a database that %s, and changes nothing', async (_, migrations, named) => {
    await migrate(withMigrations(...migrations));
    await books.dataSource.query(`alter function ${CONFIRM_ALL} reset all`);
    await expect(migrate()).rejects.toThrow(`The database is newer than this program: it has ${named}.`);
    const [row] = await books.dataSource.query(
      `select pg_get_functiondef('${CONFIRM_ALL}'::regprocedure) as text`,
    );
    expect(row.text).not.toContain('enable_seqscan');
  });

  it('refuses a database with migrations of another branch', async () => {
    await migrate(withMigrations(Lamp));
    const Torch = migration('Torch2000000000004', last);
    await expect(migrate(withMigrations(Torch))).rejects.toThrow(
      'The database is of another line of releases: it has Lamp2000000000001 without Torch2000000000004.',
    );
    expect(await tableNames()).toEqual(['lamp2000000000001']);
  });

  it('refuses a database whose migrations do not say which programs they serve', async () => {
    await migrate();
    await books.dataSource.query(`insert into migrations (timestamp, name) values (1, 'FromTheFuture')`);
    await expect(migrate()).rejects.toThrow('The database is newer than this program: it has FromTheFuture.');
  });
});
