import { DataSource } from 'typeorm';
import { runMigrations } from '../../src/platform/postgres/migrate';
import { schema } from '../../src/schema';
import { databaseUrl, onServer } from '../harness/engines';
import { bareSchema } from '../harness/planted-migration';

const NAME = `currencies_${process.pid}`;
const before = schema.migrations.findIndex(({ name }) => name.startsWith('NumberCurrencies'));

let db: DataSource;

beforeAll(async () => {
  await onServer(`create database ${NAME}`);
  const url = databaseUrl(NAME);
  await runMigrations(url, bareSchema(schema.migrations.slice(0, before)));
  db = await new DataSource({ type: 'postgres', url }).initialize();
  await db.query(`
    insert into setting (name, value) values ('CURRENCY', 'JPY');
    insert into account (owner_id, kind, currency)
    select 'user-' || n, 'wallet', 'JPY' from generate_series(1, 100) as n;
    insert into transfer (kind, source_id, debit_account_id, credit_account_id, amount_minor)
    select 'deposit', n, 1, 2, 5 from generate_series(1, 100) as n`);
});

afterAll(async () => {
  await db.destroy();
  await onServer(`drop database ${NAME} with (force)`);
});

it('the migrations to several currencies rewrite neither a table nor an index, enter the default, and let a former program open accounts only in it', async () => {
  const files = (): Promise<unknown[]> =>
    db.query(
      `select relname, relfilenode from pg_class
        where relkind in ('r', 'i') and relname ~ '^(account|activity|transfer|approval)' order by 1`,
    );
  const former = await files();
  await runMigrations(databaseUrl(NAME), { ...schema, grants: {} });
  expect(await files()).toEqual(expect.arrayContaining(former));
  expect(await db.query('select number, code, decimals, name from currency')).toEqual([
    { number: 0, code: 'JPY', decimals: 0, name: 'Japanese Yen' },
  ]);
  const open = (currency: string) =>
    db.query(`insert into account (owner_id, kind, currency) values ('former', 'wallet', $1)`, [currency]);
  await open('JPY');
  await expect(open('USD')).rejects.toThrow('account_currency_known');
});
