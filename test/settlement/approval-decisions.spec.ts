import type { SoloSum } from '../../src/core/second-person';
import type { ApprovalDto } from '../../src/extensions/approval/approval.dto';
import { ApprovalSweep } from '../../src/extensions/approval/approval-sweep';
import { SoloLimits } from '../../src/extensions/approval/solo-limits';
import { Currencies } from '../../src/core/currency';
import { requestOf } from '../harness/books';
import { codeOf } from '../harness/problems';
import { books, proveBooks, shareBooks } from '../harness/shared-books';

const VALID_SECONDS = 3_600;

proveBooks();
shareBooks({
  APPROVAL_ABOVE: 'CNY=50.00,KWD=0.005',
  APPROVAL_ABOVE_DAILY: 'CNY=100.00,KWD=0.007',
  APPROVAL_VALID_SECONDS: String(VALID_SECONDS),
});

const decider = () => requestOf('decider');
const approve = (id: string, by = 'decider') => books.approvals.approve(requestOf(by), id);
const reject = (id: string, by = 'decider') => books.approvals.reject(requestOf(by), id);
const letLapse = (id: string) =>
  books.dataSource.query(`update approval set expires_at = now() where id = $1`, [id]);

const auditOf = (id: string) =>
  books.dataSource.query<object[]>(
    `select actor_id as actor, action, before, after, detail from audit_log where subject = $1 order by id`,
    [`approval:${id}`],
  );

const statusesOf = (items: readonly ApprovalDto[]) => items.map(({ id, status }) => [id, status]);

describe('a deed that waits for a second person', () => {
  it('is shown undecided, with its terms as texts and the time at which it lapses', async () => {
    const id = await books.askForDeposit('shown', 710n);
    await books.dataSource.query(
      `update approval set terms = '{"reference": "R-1", "days": 3}' where id = $1`,
      [id],
    );
    const { askedAt, expiresAt, ...shown } = await books.approvals.read(id);
    expect(shown).toEqual({
      id,
      status: 'pending',
      action: 'wallet.deposit',
      subject: 'wallet:shown',
      amount: '7.10',
      currency: 'CNY',
      terms: { reference: 'R-1', days: '3' },
      askedBy: 'asker',
      decidedBy: null,
      decidedAt: null,
      resultId: null,
    });
    expect(Date.parse(expiresAt) - Date.parse(askedAt)).toBe(VALID_SECONDS * 1_000);
    expect(await auditOf(id)).toEqual([
      {
        actor: 'asker',
        action: 'approval.ask',
        before: {},
        after: { status: 'pending' },
        detail: { action: 'wallet.deposit', subject: 'wallet:shown', amount: '7.10', terms: {} },
      },
    ]);
  });

  it('happens when another person approves it, once, and the audit log says who did', async () => {
    const id = await books.askForDeposit('happens', 710n);
    expect(await books.balance('happens')).toBe(0n);
    expect(await approve(id)).toMatchObject({ status: 'approved', decidedBy: 'decider' });
    expect(await books.balance('happens')).toBe(710n);
    expect((await auditOf(id)).slice(1)).toEqual([
      {
        actor: 'decider',
        action: 'approval.approve',
        before: { status: 'pending' },
        after: { status: 'approved' },
        detail: expect.objectContaining({ action: 'wallet.deposit', askedBy: 'asker' }),
      },
    ]);
    for (const again of [approve, reject]) {
      await expect(again(id, 'third')).rejects.toMatchObject({
        code: 'approval.not_pending',
        detail: `Approval ${id} is approved.`,
      });
    }
    expect(await books.balance('happens')).toBe(710n);
  });

  it('never happens when another person rejects it, with or without a reason', async () => {
    const [explained, unexplained] = [
      await books.askForDeposit('never', 710n),
      await books.askForDeposit('never', 1n),
    ];
    expect(await books.approvals.reject(decider(), explained, 'Not ours.')).toMatchObject({
      status: 'rejected',
      reason: 'Not ours.',
    });
    expect(await reject(unexplained)).not.toHaveProperty('reason');
    const details = [(await auditOf(explained))[1], (await auditOf(unexplained))[1]];
    const rejected = { actor: 'decider', action: 'approval.reject', after: { status: 'rejected' } };
    const detail = { action: 'wallet.deposit', askedBy: 'asker' };
    expect(details).toMatchObject([rejected, rejected]);
    expect(details).toMatchObject([{ detail: { ...detail, reason: 'Not ours.' } }, { detail }]);
    expect(details[1]).not.toHaveProperty('detail.reason');
    for (const id of [explained, unexplained]) expect(await codeOf(approve(id))).toBe('approval.not_pending');
    expect(await books.balance('never')).toBe(0n);
  });

  it('can be decided neither by the person who asked, nor after it has lapsed, nor if it does not exist', async () => {
    const [own, late] = [await books.askForDeposit('own', 1n), await books.askForDeposit('own', 1n)];
    await letLapse(late);
    for (const decide of [approve, reject]) {
      await expect(decide(own, 'asker')).rejects.toMatchObject({
        code: 'approval.own',
        detail: `You requested approval ${own} yourself.`,
      });
      await expect(decide(late)).rejects.toMatchObject({
        code: 'approval.not_pending',
        detail: `Approval ${late} is expired.`,
      });
      await expect(decide('999')).rejects.toMatchObject({
        code: 'approval.not_found',
        detail: 'There is no approval 999.',
      });
    }
    expect(await codeOf(books.approvals.read('999'))).toBe('approval.not_found');
    expect(await books.balance('own')).toBe(0n);
    expect(await books.approvals.read(own)).toMatchObject({ status: 'pending' });
  });

  it('is decided once if several people decide at the same time', async () => {
    const id = await books.askForDeposit('at-once', 1n);
    const decisions = Array.from({ length: 6 }, (_, i) =>
      (i % 2 === 0 ? approve : reject)(id, `decider-${i}`),
    );
    const done = (await Promise.all(decisions.map((one) => codeOf(one)))).filter((code) => code === 'done');
    expect(done).toHaveLength(1);
    const isApproved = (await books.approvals.read(id)).status === 'approved';
    expect(await books.balance('at-once')).toBe(isApproved ? 1n : 0n);
  });

  it('stays pending when it cannot happen yet', async () => {
    const id = await books.askForDeposit('frozen', 1n);
    await books.setStatus('frozen', 'frozen');
    expect(await codeOf(approve(id))).toBe('wallet.frozen');
    expect(await books.approvals.read(id)).toMatchObject({ status: 'pending', decidedBy: null });
    await books.setStatus('frozen', 'active');
    expect(await approve(id)).toMatchObject({ status: 'approved' });
  });

  it('is listed in pages, newest first, among all and among those of the person who asked', async () => {
    const ids = [];
    for (let i = 0; i < 3; i++) ids.push(await books.askForDeposit('listed', 1n));
    const [first, second, third] = ids as [string, string, string];
    await reject(second);
    const newest = await books.approvals.list({ status: 'pending', limit: 1 });
    expect(statusesOf(newest.items)).toEqual([[third, 'pending']]);
    const next = await books.approvals.list({ status: 'pending', limit: 1, cursor: newest.nextCursor! });
    expect(statusesOf(next.items)).toEqual([[first, 'pending']]);
    const rejected = await books.approvals.list({ status: 'rejected', limit: 1 });
    expect(statusesOf(rejected.items)).toEqual([[second, 'rejected']]);

    const asker = requestOf('asker').caller;
    const own = await books.approvals.listAskedBy(asker, { limit: 2 });
    expect(statusesOf(own.items)).toEqual([
      [third, 'pending'],
      [second, 'rejected'],
    ]);
    const older = await books.approvals.listAskedBy(asker, { limit: 1, cursor: own.nextCursor! });
    expect(statusesOf(older.items)).toEqual([[first, 'pending']]);
    const ownRejected = await books.approvals.listAskedBy(asker, { status: 'rejected', limit: 1 });
    expect(statusesOf(ownRejected.items)).toEqual([[second, 'rejected']]);
    expect(await books.approvals.listAskedBy(decider().caller, { limit: 2 })).toEqual({
      items: [],
      nextCursor: null,
    });
  });

  it('waits no longer than any other if it was asked for while the clock of Postgres was ahead', async () => {
    const [ahead, lapsed] = [await books.askForDeposit('ahead', 1n), await books.askForDeposit('ahead', 1n)];
    await books.dataSource.query(`update approval set expires_at = now() + interval '9 days' where id = $1`, [
      ahead,
    ]);
    await letLapse(lapsed);
    await new ApprovalSweep(books.dataSource, books.config).sweep();
    const [row] = await books.dataSource.query<{ seconds: number }[]>(
      `select extract(epoch from expires_at - now())::float8 as seconds from approval where id = $1`,
      [ahead],
    );
    expect(row!.seconds).toBeGreaterThan(0);
    expect(row!.seconds).toBeLessThanOrEqual(VALID_SECONDS);
    expect(await books.approvals.read(lapsed)).toMatchObject({ status: 'expired' });
  });
});

describe('one person alone', () => {
  const take = (...sums: readonly SoloSum[]): Promise<boolean[]> =>
    books.dataSource.transaction((tx) => books.serviceOf(SoloLimits).take(tx, sums));

  it('has a separate limit in each currency, and a limit of 0 in those that have none', async () => {
    await books.addCurrency({ code: 'KWD', kind: 'money', name: 'Dinar' });
    await books.addCurrency({ code: 'COINS', kind: 'points', name: 'Coins' });
    const currencies = books.serviceOf(Currencies);
    const sumsOf = async (code: string, ...minors: bigint[]): Promise<SoloSum[]> => {
      const currency = await currencies.of(code);
      return minors.map((amountMinor) => ({ doneBy: 'rich', currency, amountMinor }));
    };
    expect(await take(...(await sumsOf('KWD', 6n, 5n, 3n, 2n)))).toEqual([false, true, false, true]);
    expect(await take(...(await sumsOf('KWD', 1n)))).toEqual([false]);
    expect(await take(...(await sumsOf('COINS', 1n)))).toEqual([false]);
    expect(await take(...(await sumsOf('CNY', 5_000n, 5_000n, 1n)))).toEqual([true, true, false]);
  });
});
