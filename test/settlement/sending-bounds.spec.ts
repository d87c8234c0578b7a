import type { Problem } from '../../libs/problem';
import type { CompletedBody } from '../../src/core/lifecycle/create/completed-body';
import { ActivityCreation } from '../../src/core/lifecycle/create/activity-creation';
import { DayCountRepository } from '../../src/extensions/sender/day-count.repository';
import { SenderBoundsService } from '../../src/extensions/sender/sender-bounds.service';
import { isHeldUp } from '../../src/platform/postgres/postgres.error';
import { codeOf } from '../harness/problems';
import { books, proveBooks, shareBooks } from '../harness/shared-books';

proveBooks();
shareBooks({ SENDER_ACTIVITIES_DAILY_MAX: '7', SENDER_SUM_DAILY_MAX: 'CNY=10.00,USD=5.00' });

const CROWD = 100;
const CONNECTIONS = 20;
const HOUR_MS = 3_600_000;

const caller = (userId: string) => ({ userId, role: 'user' }) as const;

function body(totalAmount: string, currency?: string): CompletedBody {
  const now = Date.now();
  return {
    name: 'Packets',
    totalAmount,
    currency,
    packetCount: 1,
    split: { kind: 'random' },
    opensAt: new Date(now).toISOString(),
    closesAt: new Date(now + HOUR_MS).toISOString(),
  };
}

/** Creates an activity like a program that shares only the database with others. */
const created = (userId: string, totalAmount: string, currency?: string) =>
  books.dataSource.transaction((tx) =>
    books.serviceOf(ActivityCreation).create(tx, caller(userId), body(totalAmount, currency)),
  );

const create = (userId: string, totalAmount: string, currency?: string): Promise<string> =>
  codeOf(created(userId, totalAmount, currency));

const topUp = (userId: string, activityId: string, amount: string): Promise<string> =>
  codeOf(
    books.dataSource.transaction((tx) =>
      books.topUps.add(tx, caller(userId), activityId, { amount, packetCount: 1 }),
    ),
  );

const counted = (userId: string, unit: string) => books.serviceOf(DayCountRepository).find(userId, unit);

/** Repeats a deed until it is decided: on a busy machine it may wait for too long in the line of its sponsor. */
async function decided(deed: (i: number) => Promise<string>, i: number): Promise<string> {
  try {
    const code = await deed(i);
    return code === 'activity.creation_under_way' ? await decided(deed, i) : code;
  } catch (error) {
    if (isHeldUp(error)) return decided(deed, i);
    throw error;
  }
}

/** Does a deed many times, at most as often at once as there are connections. */
async function crowd(count: number, deed: (i: number) => Promise<string>): Promise<string[]> {
  const codes: string[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) codes.push(await decided(deed, next++));
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, worker));
  return codes;
}

const timesDone = (codes: readonly string[]): number => codes.filter((code) => code === 'done').length;

/** Expects that everything else was refused because the day is full. */
function expectFull(codes: readonly string[]): void {
  expect(new Set(codes.filter((code) => code !== 'done'))).toEqual(new Set(['sender.day_full']));
}

const refusalOf = async (deed: Promise<unknown>) =>
  (await deed.catch((refusal: unknown) => refusal)) as Problem;

function expectUntilTomorrow({ retryAfterSeconds }: Problem): void {
  expect(retryAfterSeconds).toBeGreaterThan(0);
  expect(retryAfterSeconds).toBeLessThanOrEqual(86_400);
}

const fundedIn = async (userId: string): Promise<bigint> => {
  const [row] = await books.dataSource.query<{ minor: string }[]>(
    `select coalesce(sum(total_minor), 0) as minor from activity where sponsor_id = $1`,
    [userId],
  );
  return BigInt(row!.minor);
};

describe('the day of a sender', () => {
  beforeAll(() => books.addCurrency({ code: 'USD', kind: 'money', name: 'US dollar' }));

  it('holds exactly as many activities as it may, in all currencies, of 100 creations at once', async () => {
    await books.deposit('ann', 100_000n);
    await books.deposit('ann', 100_000n, 'USD');
    const codes = await crowd(CROWD, (i) => create('ann', '0.10', i % 2 === 0 ? 'USD' : undefined));
    expect(timesDone(codes)).toBe(7);
    expectFull(codes);
    expect(await counted('ann', 'activities')).toBe(7n);
    expect(await fundedIn('ann')).toBe(70n);
  });

  it('holds exactly the sum that it may, of 100 creations and top-ups at once', async () => {
    await books.deposit('bob', 100_000n);
    const { id } = await created('bob', '1.00');
    const codes = await crowd(CROWD, (i) => (i % 4 === 0 ? topUp('bob', id, '2.00') : create('bob', '2.00')));
    expect(timesDone(codes)).toBe(4);
    expectFull(codes);
    expect(await counted('bob', 'CNY')).toBe(900n);
    expect(await fundedIn('bob')).toBe(900n);
  });

  it('is shown to its user with the bound and the sum of each currency, and all activities', async () => {
    await books.deposit('fay', 300n);
    await books.deposit('fay', 200n, 'USD');
    expect([await create('fay', '3.00'), await create('fay', '2.00', 'USD')]).toEqual(['done', 'done']);
    const shown = (currency?: string) => books.serviceOf(SenderBoundsService).read('fay', { currency });
    const today = { activitiesPerDay: 7, activitiesToday: 2 };
    expect([await shown(), await shown('USD')]).toMatchObject([
      { ...today, currency: 'CNY', sumPerDay: '10.00', sentToday: '3.00' },
      { ...today, currency: 'USD', sumPerDay: '5.00', sentToday: '2.00' },
    ]);
  });

  it('counts a top-up by its sum alone', async () => {
    await books.deposit('gil', 1_000n);
    const { id } = await created('gil', '1.00');
    expect(await topUp('gil', id, '2.00')).toBe('done');
    expect([await counted('gil', 'activities'), await counted('gil', 'CNY')]).toEqual([1n, 300n]);
  });

  it('that is full says how much is left of it, and when the next one begins', async () => {
    await books.deposit('hal', 100_000n);
    expect(await create('hal', '6.00')).toBe('done');
    const error = await refusalOf(created('hal', '4.01'));
    expect(error).toMatchObject({
      code: 'sender.day_full',
      message: expect.stringMatching(
        /send 10\.00 CNY in a UTC day; the next one begins at 20\d\d-.*T00:00:00Z/,
      ),
      fields: [
        {
          ...{ field: 'totalAmount', rule: 'maximum', maximum: '4.00' },
          message: 'must be at most 4.00 until the next UTC day',
        },
      ],
    });
    expectUntilTomorrow(error);
  });

  it('that has all its activities says how many a user may create, and when the next one begins', async () => {
    await books.deposit('ivy', 100_000n);
    for (let i = 0; i < 7; i++) await created('ivy', '0.01');
    const error = await refusalOf(created('ivy', '0.01'));
    expect(error.message).toMatch(/create 7 activities in a UTC day; the next one begins at .*T00:00:00Z/);
    expectUntilTomorrow(error);
  });

  it('has nothing left after its bound was lowered below what was sent', async () => {
    await books.deposit('jon', 100_000n);
    await created('jon', '9.00');
    await books.dataSource.query(
      `update sender_day_count set sum = 2500 where user_id = 'jon' and unit = 'CNY'`,
    );
    expect(await refusalOf(created('jon', '1.00'))).toMatchObject({
      fields: [{ field: 'totalAmount', maximum: '0.00' }],
    });
  });

  it('that is full is named before a wallet that holds too little', async () => {
    await books.deposit('kim', 700n);
    const { id } = await created('kim', '6.00');
    expect([await create('kim', '4.01'), await topUp('kim', id, '4.01')]).toEqual([
      ...['sender.day_full', 'sender.day_full'],
    ]);
  });

  it('is not used up by creations that were refused or rolled back', async () => {
    await books.deposit('cid', 500n);
    expect(await create('cid', '6.00')).toBe('wallet.insufficient_funds');
    expect(await create('cid', '10.01')).toBe('sender.day_full');
    await expect(
      books.dataSource.transaction(async (tx) => {
        await books.serviceOf(ActivityCreation).create(tx, caller('cid'), body('4.00'));
        throw new Error('Undone');
      }),
    ).rejects.toThrow('Undone');
    expect(await counted('cid', 'CNY')).toBe(0n);
    expect(await create('cid', '5.00')).toBe('done');
  });

  it('starts again on the next day, but not when a clock goes back', async () => {
    await books.deposit('dan', 100_000n);
    const move = (days: number) =>
      books.dataSource.query(`update sender_day_count set day = day + $1::int where user_id = 'dan'`, [days]);
    expect(await create('dan', '10.00')).toBe('done');
    await move(1);
    expect(await create('dan', '0.10')).toBe('sender.day_full');
    await move(-2);
    expect(await create('dan', '10.00')).toBe('done');
    expect(await create('dan', '0.10')).toBe('sender.day_full');
  });

  it('is used up by servers that act for the user, but not by staff', async () => {
    await books.deposit('eve', 100_000n);
    const as = (role: 'server' | 'operator') =>
      codeOf(
        books.dataSource.transaction((tx) =>
          books.serviceOf(ActivityCreation).create(tx, { userId: 'eve', role }, body('10.00')),
        ),
      );
    expect([await as('operator'), await as('server'), await as('server')]).toEqual([
      ...['done', 'done', 'sender.day_full'],
    ]);
    expect(await as('operator')).toBe('done');
    expect(await create('eve', '0.10')).toBe('sender.day_full');
  });
});
