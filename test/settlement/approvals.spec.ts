import { ApprovalRepository } from '../../src/extensions/approval/approval.repository';
import type { SoloSum } from '../../src/core/second-person';
import { SoloLimits } from '../../src/extensions/approval/solo-limits';
import { OverviewRepository } from '../../src/extensions/overview/overview.repository';
import { books, proveBooks, shareBooks } from '../harness/shared-books';

proveBooks();
shareBooks({ APPROVAL_ABOVE: '50.00', APPROVAL_ABOVE_DAILY: '100.00' });

const takeAll = (...sums: readonly SoloSum[]): Promise<boolean[]> =>
  books.dataSource.transaction((tx) => books.serviceOf(SoloLimits).take(tx, sums));

const take = async (doneBy: string, amountMinor: bigint): Promise<boolean> =>
  (await takeAll({ doneBy, currency: books.currency, amountMinor }))[0]!;

/** Moves deeds into the past. Nothing may change them, so the triggers that say so are disabled meanwhile. */
const move = (userId: string, hours: number): Promise<void> =>
  books.dataSource.transaction(async (tx) => {
    await tx.query('alter table solo_deed disable trigger user');
    await tx.query('update solo_deed set done_at = done_at - make_interval(hours => $2) where done_by = $1', [
      userId,
      hours,
    ]);
    await tx.query('alter table solo_deed enable trigger user');
  });

describe('one person alone', () => {
  it('may move exactly the limit at once, and exactly the limit of 24 hours in all', async () => {
    expect([await take('exact', 5_001n), await take('exact', 5_000n)]).toEqual([false, true]);
    expect([await take('exact', 5_000n), await take('exact', 1n)]).toEqual([true, false]);
  });

  it('uses up their limit neither by refused requests, nor that of other people', async () => {
    expect(await take('one', 5_000n)).toBe(true);
    expect(await take('one', 4_999n)).toBe(true);
    expect([await take('one', 2n), await take('one', 1n)]).toEqual([false, true]);
    expect(await take('other', 5_000n)).toBe(true);
  });

  it('has simultaneous requests judged in order, and all together within the limit of 24 hours', async () => {
    const sumsOf = (doneBy: string, ...minors: bigint[]) =>
      minors.map((amountMinor) => ({ doneBy, currency: books.currency, amountMinor }));
    const sums = [...sumsOf('at-once', 5_000n, 5_001n, 4_999n, 2n, 1n), ...sumsOf('beside', 5_000n)];
    expect(await takeAll(...sums)).toEqual([true, false, true, false, true, true]);
    expect([await take('at-once', 1n), await take('beside', 5_000n)]).toEqual([false, true]);
  });

  it('may move more 24 hours later, and not earlier', async () => {
    for (let deed = 0; deed < 2; deed++) expect(await take('patient', 5_000n)).toBe(true);
    await move('patient', 23);
    expect(await take('patient', 1n)).toBe(false);
    await move('patient', 1);
    expect(await take('patient', 5_000n)).toBe(true);
  });

  it('is refused with the reason that another of their deeds is in progress', async () => {
    await books.dataSource.transaction(async (other) => {
      await other.query(`select pg_advisory_xact_lock(hashtextextended('solo:occupied', 0))`);
      const taken = books.dataSource.transaction(async (tx) => {
        await tx.query(`set local lock_timeout = '20ms'`);
        const sum = { doneBy: 'occupied', currency: books.currency, amountMinor: 1n };
        return books.serviceOf(SoloLimits).take(tx, [sum]);
      });
      await expect(taken).rejects.toMatchObject({ code: 'busy', retryAfterSeconds: 1 });
    });
    expect(await take('occupied', 1n)).toBe(true);
  });

  it('is not stopped by deeds that a fast clock dated a month ahead', async () => {
    for (let deed = 0; deed < 2; deed++) expect(await take('ahead', 5_000n)).toBe(true);
    await move('ahead', -30 * 24);
    expect(await take('ahead', 5_000n)).toBe(true);
  });
});

it('an approval that has lapsed is listed as lapsed, and neither listed nor counted as pending', async () => {
  const [waits, lapsed] = [await books.askForDeposit('ann', 100n), await books.askForDeposit('bob', 100n)];
  await books.dataSource.query(`update approval set expires_at = now() where id = $1`, [lapsed]);
  const list = (status: 'pending' | 'expired') =>
    books.serviceOf(ApprovalRepository).list(status, undefined, 10);
  const ids = async (status: 'pending' | 'expired') =>
    (await list(status)).map(({ id, status: shown }) => [id, shown]);
  expect(await ids('pending')).toEqual([[waits, 'pending']]);
  expect(await ids('expired')).toEqual([[lapsed, 'expired']]);
  expect(await books.serviceOf(OverviewRepository).money()).toMatchObject({ approvals: 1 });
});
