import { createDatabase, type TestDatabase } from '../harness/engines';
import { Books } from '../harness/books';

/** Programs may insert statements, but only for the days and accounts that the database allows. */
describe('a row of a statement', () => {
  let database: TestDatabase;
  let books: Books;

  beforeAll(async () => {
    database = await createDatabase();
    books = await Books.of(database.url);
    await books.deposit('ann', 100n);
    await books.activity({ sponsorId: 'ann', packets: 1, totalMinor: 100n });
    await books.dataSource.query(`
      insert into currency (number, code, kind, decimals, name) values (7, 'XTS', 'test', 2, 'Play money');
      insert into account (id, owner_id, kind, currency, currency_number) overriding system value
      values ((7::bigint << 48) + 1, 'bob', 'wallet', 'XTS', 7)`);
    await books.dataSource.query(`update account set created_at = created_at - interval '3 days'`);
  });
  afterAll(async () => {
    await books.close();
    await database.drop();
  });

  const insert = (accounts: string, daysAgo: number) =>
    books.undoing((tx) =>
      tx.query<unknown[]>(
        `insert into wallet_statement (account_id, day, from_id, to_id, opening_minor, closing_minor, movements, credit_in,
                                       issued_at, texts_version, digest_json, digest_csv)
         select id, (now() at time zone 'UTC')::date - $1::integer, 0, 0, 0, 0, 0, 0, now(), 1, sha256(''), sha256('')
           from (${accounts}) as account returning account_id`,
        [daysAgo],
      ),
    );

  const OF_ANN = `select id from account where owner_id = 'ann' and kind = 'wallet'`;

  it('is of a wallet and of a day that was over', async () => {
    expect(await insert(OF_ANN, 1)).toHaveLength(1);
    expect(await insert(OF_ANN, 3)).toHaveLength(1);
  });

  it.each([
    ['today', OF_ANN, 0],
    ['a day to come', OF_ANN, -1],
    ['a day before its wallet was made', OF_ANN, 4],
    ['no account', `select 999::bigint as id`, 1],
    ['the money in a rain', `select id from account where kind = 'escrow' limit 1`, 1],
    ['the outside world', `select id from account where kind = 'funding' limit 1`, 1],
    ['play money', `select id from account where owner_id = 'bob' and kind = 'wallet'`, 1],
  ])('is never of %s', async (_, accounts, daysAgo) => {
    expect(await books.dataSource.query(accounts)).toHaveLength(1);
    await expect(insert(accounts, daysAgo)).rejects.toMatchObject({ code: '23514' });
  });
});
