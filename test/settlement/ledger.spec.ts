import type { EntityManager } from 'typeorm';
import type { Transfer } from '../../src/core/wallet/account';
import { refusalOf } from '../harness/books';
import { books, proveBooks, shareBooks } from '../harness/shared-books';

const BALANCE_MINOR_MAX = 10n ** 18n;
const NO_ACTIVITY = '999999999';

let serial = 10_000_000;

/** I1 is left out, because it also requires that the kind of a transfer fits its accounts. */
proveBooks({ except: ['I1'] });
shareBooks();

const transaction = <T>(work: (tx: EntityManager) => Promise<T>): Promise<T> =>
  books.dataSource.transaction(work);

/** Moves money between two wallets. Production has no such transfer, but the ledger permits it. */
function move(
  from: string,
  to: string,
  amountMinor: bigint,
  sourceId = String((serial += 1)),
): Promise<string> {
  return transaction(async (tx) => {
    const debitAccountId = await books.ledger.walletOf(tx, from, books.currency);
    return transferTo(tx, to, { debitAccountId, amountMinor, sourceId });
  });
}

/** Adds any amount to a wallet, even more than a deposit may bring. */
function mint(to: string, amountMinor: bigint): Promise<string> {
  const sourceId = String((serial += 1));
  return transaction(async (tx) => {
    const debitAccountId = await books.ledger.fundingAccount(tx, books.currency);
    return transferTo(tx, to, { debitAccountId, amountMinor, sourceId });
  });
}

async function transferTo(
  tx: EntityManager,
  to: string,
  what: Pick<Transfer, 'debitAccountId' | 'amountMinor' | 'sourceId'>,
): Promise<string> {
  const creditAccountId = await books.ledger.walletOf(tx, to, books.currency);
  return books.ledger.transfer(tx, { kind: 'fund', activityId: NO_ACTIVITY, creditAccountId, ...what });
}

describe('a transfer', () => {
  it('moves exactly the amount, and the ledger says so', async () => {
    await books.deposit('payer', 1_000n);
    const id = await move('payer', 'payee', 300n);
    expect([await books.balance('payer'), await books.balance('payee')]).toEqual([700n, 300n]);
    expect(await books.creditsOf('payee')).toEqual([
      { kind: 'fund', sourceId: expect.any(String), amountMinor: 300n },
    ]);
    expect(Number(id)).toBeGreaterThan(0);
  });

  it('may take the last unit, but not one more', async () => {
    await books.deposit('poor', 5n);
    await expect(move('poor', 'rich', 6n)).rejects.toMatchObject({
      code: 'wallet.insufficient_funds',
      status: 422,
    });
    expect(await books.balance('poor')).toBe(5n);
    await move('poor', 'rich', 5n);
    expect(await books.balance('poor')).toBe(0n);
  });

  it('never lets the same money be spent twice by many transfers at once', async () => {
    await books.deposit('crowded', 500n);
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, (_, i) => move('crowded', `shop-${i}`, 100n)),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
    expect(await books.balance('crowded')).toBe(0n);
  });

  it('never takes the receiving or the paying account beyond its limit', async () => {
    const tooMuch = { code: 'wallet.balance_limit', status: 422 };
    const outside = -(await books.balance('outside', 'funding'));
    const room = BALANCE_MINOR_MAX - outside;
    await mint('giant', room);
    await expect(mint('dwarf', 1n)).rejects.toMatchObject(tooMuch);
    expect([await books.balance('giant'), await books.balance('dwarf')]).toEqual([room, 0n]);
    await transaction(async (tx) => {
      const [giant, funding] = [
        await books.ledger.walletOf(tx, 'giant', books.currency),
        await books.ledger.fundingAccount(tx, books.currency),
      ];
      await books.ledger.transfer(tx, {
        kind: 'fund',
        sourceId: String((serial += 1)),
        activityId: NO_ACTIVITY,
        amountMinor: room,
        debitAccountId: giant,
        creditAccountId: funding,
      });
    });
  });

  it.each([0n, -1n])('is refused as a bug when it moves %s units', async (amountMinor) => {
    await expect(move('payer', 'payee', amountMinor)).rejects.toThrow('moves money');
  });

  it('is refused as a bug when it goes from an account to itself', async () => {
    await expect(move('payer', 'payer', 1n)).rejects.toThrow('two different accounts');
  });

  it('leaves no trace when it is rolled back', async () => {
    await books.deposit('undone', 10n);
    const cut = transaction(async (tx) => {
      const debitAccountId = await books.ledger.walletOf(tx, 'undone', books.currency);
      await transferTo(tx, 'nobody', { debitAccountId, amountMinor: 10n, sourceId: '900001' });
      throw new Error('cut');
    });
    await expect(cut).rejects.toThrow('cut');
    expect([await books.balance('undone'), await books.balance('nobody')]).toEqual([10n, 0n]);
  });

  it('never deadlocks with a simultaneous transfer in the opposite direction', async () => {
    const people = ['ann', 'bob', 'cem'];
    for (const person of people) await books.deposit(person, 10_000n);
    for (let round = 0; round < 40; round++) {
      await Promise.all(
        people.flatMap((from) => people.filter((to) => to !== from).map((to) => move(from, to, 7n))),
      );
    }
    for (const person of people) expect(await books.balance(person)).toBe(10_000n);
  });

  it('never deadlocks with simultaneous deposits, new activities and settlements', async () => {
    const claimIds = await books.claim(await books.activity({ packets: 20, sponsorId: 'ann' }), [
      ...['ann', 'bob', 'cem'],
      ...Array.from({ length: 17 }, (_, i) => `more-${i}`),
    ]);
    await Promise.all([
      ...claimIds.map((claimId) => books.settlement.settle([claimId])),
      ...['ann', 'bob', 'cem'].map((owner) => books.deposit(owner, 100n)),
      ...['cem', 'bob', 'ann'].map((sponsorId) => books.activity({ packets: 3, sponsorId })),
      move('ann', 'cem', 5n),
      move('cem', 'ann', 5n),
    ]);
  });
});

describe('a frozen wallet', () => {
  it('takes no deposit and pays for no activity', async () => {
    await books.deposit('cold', 1_000n);
    await books.setStatus('cold', 'frozen');
    await expect(books.deposit('cold', 1n)).rejects.toMatchObject({ code: 'wallet.frozen', status: 422 });
    await expect(books.activity({ packets: 1, sponsorId: 'cold' })).rejects.toMatchObject({
      code: 'wallet.frozen',
    });
    expect(await books.balance('cold')).toBe(1_000n);
  });
});

describe('the named constraints of the database', () => {
  it('transfer_once refuses two transfers for the same thing', async () => {
    await books.deposit('repeated', 100n);
    await move('repeated', 'payee', 1n, '800001');
    const before = await books.balance('repeated');
    expect(await refusalOf(move('repeated', 'payee', 1n, '800001'))).toBe(
      'transfer_other_kind_source_id_activity_id_key',
    );
    expect(await books.balance('repeated')).toBe(before);
  });

  it.each(['wallet', 'escrow'])(
    'account_balance_not_negative refuses a %s with a negative balance',
    async (kind) => {
      const statement = `insert into account (owner_id, kind, currency, balance_minor) values ('debtor', $1, 'CNY', -1)`;
      expect(await refusalOf(books.dataSource.query(statement, [kind]))).toBe('account_balance_not_negative');
    },
  );

  it.each([
    ['transfer_amount_positive', 1, 2, 0],
    ['transfer_amount_positive', 1, 2, -5],
    ['transfer_accounts_differ', 1, 1, 5],
  ])('%s refuses a transfer from account %i to account %i of %i units', async (name, from, to, amount) => {
    const statement = `insert into transfer (kind, source_id, debit_account_id, credit_account_id, amount_minor)
      values ('deposit', 700001, $1, $2, $3)`;
    expect(await refusalOf(books.dataSource.query(statement, [from, to, amount]))).toBe(name);
  });
});
