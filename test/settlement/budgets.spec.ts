import { ActivityCreation } from '../../src/core/lifecycle/create/activity-creation';
import { BudgetService } from '../../src/core/wallet/budget.service';
import { OPERATOR } from '../harness/books';
import { codeOf } from '../harness/problems';
import { books, proveBooks, shareBooks } from '../harness/shared-books';

proveBooks();
shareBooks({ PACKETS_PER_SPONSOR_DAILY_MAX: '3000' });

const budgets = () => books.serviceOf(BudgetService);
const set = (ownerId: string, perDay?: string) => budgets().set(OPERATOR, ownerId, { perDay });
const spentToday = async (ownerId: string) => (await budgets().read(ownerId, {})).spentToday;
/** Creates an activity of 1.00. */
const create = (sponsorId: string) => books.activity({ packets: 1, sponsorId });

/** Moves the money that a user has spent to the day before. */
const enteredOnTheDayBefore = (ownerId: string) =>
  books.dataSource.transaction(async (tx) => {
    await tx.query('set local session_replication_role = replica');
    await tx.query(
      `update transfer_other set created_at = transfer_other.created_at - interval '1 day'
         from account where account.id = debit_account_id and owner_id = $1`,
      [ownerId],
    );
  });

describe('a budget', () => {
  it('admits exactly its amount, however many creations and top-ups arrive at once', async () => {
    const id = await create('crowd');
    await set('crowd', '6.00');
    const deeds = Array.from({ length: 12 }, (_, i) =>
      codeOf(i % 2 === 0 ? create('crowd') : books.topUp(id, { packets: 1 })),
    );
    const codes = await Promise.all(deeds);
    expect(codes.filter((code) => code === 'done')).toHaveLength(5);
    expect(codes.filter((code) => code === 'wallet.budget_exceeded')).toHaveLength(7);
    expect(await spentToday('crowd')).toBe('6.00');
    expect(await codeOf(create('others'))).toBe('done');
  });

  it('counts money that entered before it was set, and not money that came back or replaced a void claim', async () => {
    const id = await create('shop');
    await set('shop', '2.00');
    expect(await spentToday('shop')).toBe('1.00');
    const [claimId] = await books.claim(id, ['ann']);
    const letter = await books.dataSource.transaction((tx) => books.letters.hold(tx, claimId!, 'a robot'));
    await books.declareVoid(letter!.id);
    expect(await spentToday('shop')).toBe('1.00');
    await set('shop');
    await set('shop', '2.00');
    expect(await spentToday('shop')).toBe('1.00');
    expect(await codeOf(create('shop'))).toBe('done');
    expect(await codeOf(create('shop'))).toBe('wallet.budget_exceeded');
  });

  it('starts over the next day, and not when a clock goes back', async () => {
    await set('night', '1.00');
    await create('night');
    const move = (days: number) =>
      books.dataSource.query(
        `update budget set day = day + $1::int
          where wallet_account_id = (select id from account where owner_id = 'night' and kind = 'wallet')`,
        [days],
      );
    await move(1);
    expect(await codeOf(create('night'))).toBe('wallet.budget_exceeded');
    await move(-2);
    expect(await spentToday('night')).toBe('0.00');
    expect(await codeOf(create('night'))).toBe('done');
    expect(await codeOf(create('night'))).toBe('wallet.budget_exceeded');
    await set('night');
    expect(await codeOf(create('night'))).toBe('done');
  });

  it('is neither used twice nor used up by a clock that was days ahead and is corrected', async () => {
    await set('traveller', '2.00');
    await create('traveller');
    const wallet = `(select id from account where owner_id = 'traveller' and kind = 'wallet')`;
    // On the day three days ahead the sponsor has spent everything; today's spending is counted separately.
    await books.dataSource.query(
      `update budget set days = jsonb_build_object(to_char(day, 'YYYY-MM-DD'), spent_minor), day = day + 3, spent_minor = 200
        where wallet_account_id = ${wallet}`,
    );
    expect(await spentToday('traveller')).toBe('1.00');
    expect(await codeOf(create('traveller'))).toBe('done');
    expect(await codeOf(create('traveller'))).toBe('wallet.budget_exceeded');
    const [{ days }] = await books.dataSource.query<[{ days: Record<string, number> }]>(
      `select days from budget where wallet_account_id = ${wallet}`,
    );
    expect(Object.values(days)).toContain(200);
  });

  it('that is set does not count money that left without entering an activity', async () => {
    await books.reverse(await books.deposit('corrected', 100n));
    await set('corrected', '1.00');
    expect(await spentToday('corrected')).toBe('0.00');
  });

  it('that is set does not count money that entered on the day before', async () => {
    await create('veteran');
    await enteredOnTheDayBefore('veteran');
    await set('veteran', '1.00');
    expect(await spentToday('veteran')).toBe('0.00');
  });

  it('has no effect on another currency of its sponsor', async () => {
    await books.addCurrency({ code: 'KWD', kind: 'money', name: 'Kuwaiti Dinar' });
    const currency = 'KWD';
    const shown = async (query = {}) => {
      const { perDay, spentToday } = await budgets().read('trader', query);
      return [perDay, spentToday];
    };
    const createIn = () =>
      codeOf(books.activity({ packets: 1, totalMinor: 200n, sponsorId: 'trader', currency }));
    await set('trader', '1.00');
    await budgets().set(OPERATOR, 'trader', { perDay: '0.300', currency });
    expect([await createIn(), await createIn()]).toEqual(['done', 'wallet.budget_exceeded']);
    expect([await shown(), await shown({ currency })]).toEqual([
      ['1.00', '0.00'],
      ['0.300', '0.200'],
    ]);
    expect(await codeOf(create('trader'))).toBe('done');
    await budgets().set(OPERATOR, 'trader', { currency });
    expect([await shown(), await shown({ currency })]).toEqual([
      ['1.00', '1.00'],
      [null, null],
    ]);
    expect([await createIn(), await codeOf(create('trader'))]).toEqual(['done', 'wallet.budget_exceeded']);
  });
});

describe('the packets that a user may have written within 24 hours', () => {
  const createIn = (currency: string, userId: string, packetCount = 1) =>
    books.dataSource.transaction((tx) => {
      const now = Date.now();
      const window = {
        opensAt: new Date(now).toISOString(),
        closesAt: new Date(now + 600_000).toISOString(),
      };
      const body = { name: 'Mine', totalAmount: '1', currency, packetCount, ...window };
      const split = { kind: 'equal' } as const;
      return books.serviceOf(ActivityCreation).create(tx, { userId, role: 'user' }, { ...body, split });
    });

  it('are counted over all currencies, however many creations arrive at once', async () => {
    await books.addCurrency({ code: 'COINS', kind: 'points', name: 'Coins' });
    for (const currency of ['CNY', 'COINS']) await books.deposit('writer', 1_000n, currency);
    const codes = await Promise.all(
      Array.from({ length: 10 }, (_, i) => codeOf(createIn(i % 2 ? 'CNY' : 'COINS', 'writer'))),
    );
    // An activity counts as a thousand packets at least.
    expect(codes.filter((code) => code === 'done')).toHaveLength(3);
    expect(codes.filter((code) => code === 'activity.too_many_packets')).toHaveLength(7);
    await books.deposit('another', 1_000n);
    expect(await codeOf(createIn('CNY', 'another'))).toBe('done');
  });

  it('are without those that replace void claims, and those of the days before', async () => {
    await books.deposit('voided', 1_000n);
    const winners = ['ann', 'bob', 'eve', 'joe'];
    const { id } = await createIn('CNY', 'voided', winners.length);
    for (const claimId of await books.claim(id, winners)) {
      const letter = await books.dataSource.transaction((tx) => books.letters.hold(tx, claimId, 'a robot'));
      expect((await books.declareVoid(letter!.id)).replacement).toBeDefined();
    }
    const more = async () => [await createIn('CNY', 'voided'), await createIn('CNY', 'voided')];
    await more();
    expect(await codeOf(createIn('CNY', 'voided'))).toBe('activity.too_many_packets');
    await enteredOnTheDayBefore('voided');
    await more();
  });
});
