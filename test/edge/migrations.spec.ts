import { randomUUID } from 'node:crypto';
import { DataSource } from 'typeorm';
import type { Verdict } from '../../src/modules/grab/claim.repository';
import { Foundation } from '../../src/modules/reconciliation/foundation';
import { dataSourceOptions, type Schema } from '../../src/platform/postgres';
import { runMigrations } from '../../src/platform/postgres/migrate';
import { schema } from '../../src/schema';
import { Books, reservationOf } from '../harness/books';
import { databaseUrl, onServer } from '../harness/engines';

const [confirmFile] = schema.functions;

/** The schema of a program that confirms by another text. */
const withConfirmation = (from: string, to: string): Schema => {
  const text = confirmFile!.text.replace(from, to);
  expect(text).not.toBe(confirmFile!.text);
  return { ...schema, functions: [{ ...confirmFile!, text, checksum: randomUUID() }] };
};

let name: string;
let url: string;
let books: Books;

beforeEach(async () => {
  name = `migrated_${randomUUID().replaceAll('-', '')}`;
  await onServer(`create database ${name}`);
  url = databaseUrl(name);
  books = await Books.of(url);
});

afterEach(async () => {
  await books.close();
  await onServer(`drop database ${name} with (force)`);
});

const migrate = (wanted: Schema = schema): Promise<string[]> => runMigrations(url, wanted);

/** As before functions were made from files: the last migration that made them is among those that run. */
async function migrateWithoutFiles(): Promise<void> {
  const migrations = schema.migrations.filter(
    (migration) => !migration.name.startsWith('CreateStoredFunction'),
  );
  const options = dataSourceOptions({ databaseUrl: url, poolMax: 1, patient: true });
  const dataSource = await new DataSource({ ...options, migrations }).initialize();
  await dataSource.runMigrations({ transaction: 'each' });
  await dataSource.destroy();
}

const confirm = async (activityId: string, userId: string, packetNo: number): Promise<Verdict> =>
  (await books.claims.confirm([reservationOf(activityId, userId, packetNo)]))[0]!;

async function functionNames(): Promise<string[]> {
  const rows = await books.dataSource.query<{ name: string }[]>(
    `select oid::regprocedure::text as name from pg_proc where proname like 'confirm%' order by 1`,
  );
  return rows.map((row) => row.name);
}

const OURS = ['confirm_all(bigint[],integer[],text[])', 'confirm_free(bigint[],integer[],text[])'];

/** That the functions are ours, that verification finds nothing, and that nothing is left to migrate. */
async function expectUpToDate(): Promise<void> {
  expect(await functionNames()).toEqual(OURS);
  const foundation = new Foundation(books.config, schema);
  expect((await foundation.inspect(books.dataSource)).faults).toEqual([]);
  expect(await migrate()).toEqual([]);
}

describe('migrating', () => {
  it('an empty database runs the migrations first and then creates the functions', async () => {
    const done = await migrate();
    expect(done).toEqual([...schema.migrations.map((migration) => migration.name), 'grab/confirm.sql']);
    await expectUpToDate();
  });

  it('a database whose functions come from migrations keeps its claims and replaces the functions', async () => {
    await migrateWithoutFiles();
    const activityId = await books.activity({ packets: 3 });
    const before = await confirm(activityId, 'ann', 1);
    expect(before).toEqual({ kind: 'confirmed', packet: expect.anything(), claimId: expect.any(String) });

    expect(await migrate()).toEqual([expect.stringMatching(/^CreateStoredFunction/), 'grab/confirm.sql']);
    await expectUpToDate();
    expect(await confirm(activityId, 'ann', 1)).toEqual({ ...before, claimId: undefined });
    expect(await confirm(activityId, 'ann', 2)).toMatchObject({ kind: 'holds-other', packet: { no: 1 } });
    expect(await confirm(activityId, 'ben', 1)).toMatchObject({ kind: 'taken', ownerId: 'ann' });
    expect(await confirm(activityId, 'ben', 2)).toMatchObject({ kind: 'confirmed' });
    expect(await books.broken()).toEqual([]);
  });

  it('replaces the functions of a file whose text has changed, other arguments and results included', async () => {
    await migrate(
      withConfirmation('user_ids text[])\nreturns setof claim', 'user_ids text[])\nreturns setof record'),
    );
    await migrate(withConfirmation('user_ids text[]', 'user_ids varchar[]'));
    expect(await functionNames()).not.toEqual(OURS);
    expect(await migrate()).toEqual(['grab/confirm.sql']);
    await expectUpToDate();
  });

  it('keeps the former functions when the new text is refused', async () => {
    await migrate();
    await expect(migrate(withConfirmation('from reservation', 'from nowhere at all'))).rejects.toThrow(
      'syntax',
    );
    await expectUpToDate();
  });

  it.each([
    ['was dropped', 'drop function confirm_all(bigint[],integer[],text[])'],
    ['was changed by hand', 'alter function confirm_free(bigint[],integer[],text[]) reset all'],
  ])('creates a function anew that %s', async (_, harm) => {
    await migrate();
    await books.dataSource.query(harm);
    expect(await migrate()).toEqual(['grab/confirm.sql']);
    await expectUpToDate();
  });

  it('refuses a database that a newer program has migrated, and leaves its functions alone', async () => {
    await migrate(withConfirmation('for key share', 'for share'));
    await books.dataSource.query(`insert into migrations (timestamp, name) values (1, 'FromTheFuture')`);
    await expect(migrate()).rejects.toThrow('The database is newer than this program: it has FromTheFuture.');
    const [row] = await books.dataSource.query(
      `select definition from stored_function where signature like 'confirm_all%'`,
    );
    expect(row.definition).toContain('for share');
  });
});
