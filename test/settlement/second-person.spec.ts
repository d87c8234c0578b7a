import { ActivityCreation } from '../../src/core/lifecycle/create/activity-creation';
import { CreateService } from '../../src/core/lifecycle/create/create.service';
import { TopUpService } from '../../src/core/lifecycle/add/top-up.service';
import { VoidService } from '../../src/core/lifecycle/void/void.service';
import { SecondPerson } from '../../src/core/second-person';
import { DepositService } from '../../src/core/wallet/deposit.service';
import type { PayoutDto } from '../../src/extensions/payout/book/payout.dto';
import { PayoutDecisions } from '../../src/extensions/payout/book/payout-decisions';
import { PayoutEventRow, PayoutRow } from '../../src/extensions/payout/book/payout.entity';
import { PayoutRepository } from '../../src/extensions/payout/book/payout.repository';
import { DueRepository } from '../../src/extensions/payout/send/due.repository';
import { OPERATOR, requestOf, reservationOf } from '../harness/books';
import { books, shareBooks } from '../harness/shared-books';

const ABOVE = 100_01n;
const SMALL = 60_00n;

shareBooks({ APPROVAL_ABOVE: '100.00', APPROVAL_ABOVE_DAILY: '150.00' });

const ask = (channelId: string, user: string, amountMinor: bigint, via?: string) => {
  const request = requestOf(user, 'user');
  Object.assign(request, { caller: { userId: user, role: 'user', via } });
  return books.asks.ask(request, { amount: books.currency.format(amountMinor), channelId });
};

/** Wins one packet each in rains created by staff, and credits them. */
async function win(channelId: string, user: string, ...amounts: bigint[]): Promise<void> {
  for (const totalMinor of amounts) await credit(await rainOf(channelId, totalMinor), user);
}

const rainOf = (channelId: string, totalMinor: bigint) =>
  books.activity({ packets: 1, totalMinor, payout: { channelId } });

async function credit(activityId: string, user: string): Promise<void> {
  await books.settlement.settle(await books.claim(activityId, [user]));
}

/** A user sends a rain of their own money, in one packet, and wins it. */
async function winOwn(channelId: string, user: string, totalMinor: bigint): Promise<void> {
  const sponsor = `${user}-sends`;
  await books.deposit(sponsor, totalMinor);
  const now = Date.now();
  const body = {
    name: 'Mine',
    totalAmount: books.currency.format(totalMinor),
    packetCount: 1,
    split: { kind: 'random' } as const,
    payout: { channelId },
    opensAt: new Date(now - 1_000).toISOString(),
    closesAt: new Date(now + 600_000).toISOString(),
  };
  const creation = books.serviceOf(ActivityCreation);
  const caller = { userId: sponsor, role: 'user' } as const;
  const { id } = await books.dataSource.transaction((tx) => creation.create(tx, caller, body));
  await credit(id, user);
}

/** A claim that became a dead letter is paid after all. */
async function replay(channelId: string, user: string): Promise<void> {
  await books.deposit(user, 1n);
  await books.setStatus(user, 'frozen');
  await win(channelId, user, ABOVE);
  await books.setStatus(user, 'active');
  const [letter] = await books.dataSource.query<{ id: string; claim_id: string }[]>(
    `select id, claim_id from dead_letter where user_id = $1`,
    [user],
  );
  await books.replay(letter!.id);
  await books.settlement.settle([letter!.claim_id]);
}

async function endedBefore(channelId: string, user: string, outcome: 'refused' | 'returned'): Promise<void> {
  await books.deposit(user, ABOVE);
  const { id } = await ask(channelId, user, ABOVE);
  await decide(id, 'approve');
  const first = outcome === 'refused' ? [] : [{ id, outcome: 'paid' } as const];
  await books.report(channelId, ...first, { id, outcome });
  await ask(channelId, user, ABOVE);
}

async function decide(payoutId: string, decision: 'approve' | 'reject'): Promise<void> {
  const { items } = await books.approvals.list({ status: 'pending', limit: 100 });
  const { id } = items.find(({ subject }) => subject === `payout:${payoutId}`)!;
  await books.approvals[decision](requestOf('decider'), id);
}

async function payoutsOf(userId: string): Promise<PayoutDto[]> {
  const { items } = await books.payoutLists.list({ userId, limit: 100 });
  return [...items].reverse();
}

/** Each starts, in its own way, a payout of more than a user may withdraw alone. */
const WAYS: readonly [string, (channelId: string, user: string) => Promise<unknown>][] = [
  [
    'is asked for',
    async (channelId, user) => (await books.deposit(user, ABOVE), ask(channelId, user, ABOVE)),
  ],
  [
    'is asked for by a server in the name of its user',
    async (channelId, user) => (await books.deposit(user, ABOVE), ask(channelId, user, ABOVE, 'shop')),
  ],
  ['is won in a rain of staff', (channelId, user) => win(channelId, user, ABOVE)],
  ['is won in a rain of a user', (channelId, user) => winOwn(channelId, user, ABOVE)],
  ['is gathered from wins below the limit', (channelId, user) => win(channelId, user, SMALL, SMALL)],
  [
    'is won in packets that were added later',
    async (channelId, user) => {
      const activityId = await rainOf(channelId, 1n);
      await books.topUp(activityId, { packets: 1, totalMinor: ABOVE });
      const [won] = await books.claims.confirm([reservationOf(activityId, user, 2)]);
      await books.settlement.settle([(won as { claimId: string }).claimId]);
    },
  ],
  ['is a dead letter that was replayed', replay],
  ['is asked for again after it was refused', (channelId, user) => endedBefore(channelId, user, 'refused')],
  ['is asked for again after it was returned', (channelId, user) => endedBefore(channelId, user, 'returned')],
  [
    'is more than a day allows, in small sums that are asked for',
    async (channelId, user) => {
      await books.deposit(user, 3n * SMALL);
      for (let i = 0; i < 3; i += 1) await ask(channelId, user, SMALL);
    },
  ],
  [
    'is more than a day allows, in small sums that are won one after the other',
    async (channelId, user) => {
      for (let i = 0; i < 3; i += 1) {
        await win(channelId, user, SMALL);
        await books.sweepUnsent();
      }
    },
  ],
];

describe('a payout that its user may not withdraw alone waits for a second person if it', () => {
  it.each(WAYS)('%s', async (way, begin) => {
    const user = `way-${WAYS.findIndex(([name]) => name === way)}`;
    const channelId = await books.createChannel();
    await begin(channelId, user);
    await books.sweepUnsent();
    const payouts = await payoutsOf(user);
    const [payout, ...more] = payouts.filter(({ state }) => state === 'review');
    expect([payouts.at(-1)!.id, more]).toEqual([payout?.id, []]);
    await expectStill(channelId, payout!);

    const before = await books.balance(user);
    await decide(payout!.id, 'approve');
    expect((await books.payouts.read(payout!.id)).state).toBe('reserved');
    expect(await books.balance(user)).toBe(before - books.currency.parse(payout!.amount));
    await books.report(channelId, { id: payout!.id, outcome: 'paid' });
    expect(await books.broken()).toEqual([]);
  });
});

/** The file contains a payment that was never requested, which is a finding. */
async function handIn(channelId: string, line: string): Promise<void> {
  const result = await books.handIn(channelId, '2026-01-02', line);
  expect(result).toMatchObject({ lines: 1, posted: 0, found: 1 });
  const { items } = await books.findings.list({ state: 'open', limit: 100 });
  expect(items).toMatchObject([{ channelId, kind: 'never-sent' }]);
  await books.findings.end(requestOf('finance'), items[0]!.id, 'It is under review.');
}

/** Only a second person can move it: neither its channel, nor staff, nor a file, nor a sender. */
async function expectStill(channelId: string, { id, userId, amount }: PayoutDto): Promise<void> {
  const before = await books.balance(userId);
  const waiting = await books.serviceOf(PayoutRepository).waiting(channelId, undefined, 100);
  expect(waiting.map((one) => one.id)).not.toContain(id);
  expect(await books.report(channelId, { id, outcome: 'paid' })).toMatchObject([{ result: 'not-found' }]);
  await handIn(channelId, `${id},${userId},${amount},paid,2026-01-02T03:04:05Z`);
  const paid = { outcome: 'paid', evidence: 'a statement' } as const;
  const notOpen = { code: 'payout.not_open' };
  await expect(books.resolutions.askToResolve(requestOf('asker'), id, paid)).rejects.toMatchObject(notOpen);
  await expect(books.payouts.retry(requestOf('asker'), id)).rejects.toMatchObject({
    code: expect.stringMatching(/^payout(_channel)?\.not_(open|called)$/),
  });
  const due = await books.dataSource.transaction(async (tx) => {
    const pace = { keyLifetimeSeconds: 1, quarantineSeconds: 0 };
    const repository = books.serviceOf(DueRepository);
    const wanted = [true, false].flatMap((wasSent) =>
      [true, false].map((inTrouble) => ({ wasSent, inTrouble, newestFirst: false, paysNothing: false })),
    );
    const found = [];
    for (const want of wanted) found.push(...(await repository.findDue(tx, channelId, 100, pace, want)));
    return found;
  });
  expect(due.map((one) => one.id)).not.toContain(id);
  expect([await books.balance(userId), (await books.payouts.read(id)).state]).toEqual([before, 'review']);
  expect(books.currency.parse(amount)).toBeLessThanOrEqual(before);
}

it('a payout under review ends at once in programs without the extension by which someone could approve it', async () => {
  const channelId = await books.createChannel();
  await books.deposit('unapproved', ABOVE);
  const { id, state } = await ask(channelId, 'unapproved', ABOVE);
  expect(state).toBe('review');
  const payouts = books.dataSource.getRepository(PayoutRow);
  const events = books.dataSource.getRepository(PayoutEventRow);
  const expiredFor = (secondPerson: SecondPerson) =>
    new PayoutRepository(payouts, events, secondPerson).reviewExpired(Date.now() / 1_000, 1_000);
  expect(await expiredFor(books.serviceOf(SecondPerson))).not.toContain(id);
  expect(await expiredFor(new SecondPerson())).toContain(id);
  await decide(id, 'reject');
});

it('a rain’s payout that a second person rejects becomes ordinary balance, counts towards no day and leaves only when its user asks', async () => {
  const channelId = await books.createChannel({ perUserPerDay: '200.00' });
  await win(channelId, 'rejected', ABOVE);
  await books.sweepUnsent();
  const [payout] = await payoutsOf('rejected');
  await decide(payout!.id, 'reject');
  await books.dataSource.query(`update payout_credit set due_at = '-infinity' where payout_id is null`);
  await books.sweepUnsent();
  expect(await payoutsOf('rejected')).toMatchObject([{ state: 'refused', code: 'review-rejected' }]);
  expect(await books.balance('rejected')).toBe(ABOVE);
  expect((await ask(channelId, 'rejected', SMALL)).state).toBe('reserved');
  expect(await books.broken()).toEqual([]);
});

it('a payout under review is not approved while its wallet is frozen, and can be approved afterwards', async () => {
  const channelId = await books.createChannel();
  await books.deposit('frozen-meanwhile', ABOVE);
  const { id } = await ask(channelId, 'frozen-meanwhile', ABOVE);
  await books.setStatus('frozen-meanwhile', 'frozen');
  const why = 'The wallet of frozen-meanwhile is frozen.';
  await expect(decide(id, 'approve')).rejects.toMatchObject({ code: 'wallet.frozen', message: why });
  expect([(await books.payouts.read(id)).state, await books.balance('frozen-meanwhile')]).toEqual([
    ...['review', ABOVE],
  ]);
  await books.setStatus('frozen-meanwhile', 'active');
  await decide(id, 'approve');
  expect((await books.payouts.read(id)).state).toBe('reserved');
});

it('a payout that has lapsed is not approved afterwards, and an approved one does not lapse', async () => {
  const channelId = await books.createChannel();
  await books.deposit('undecided', 2n * ABOVE);
  const lapsed = await ask(channelId, 'undecided', ABOVE);
  const approved = await ask(channelId, 'undecided', ABOVE);
  const lapse = ({ id }: PayoutDto) =>
    books.dataSource.transaction((tx) => books.serviceOf(PayoutDecisions).reject(tx, id, 'review-expired'));
  await lapse(lapsed);
  const why = `Payout ${lapsed.id} is not under review.`;
  await expect(decide(lapsed.id, 'approve')).rejects.toMatchObject({ code: 'payout.not_open', message: why });
  await decide(approved.id, 'approve');
  await lapse(approved);
  expect((await payoutsOf('undecided')).map(({ state }) => state)).toEqual(['refused', 'reserved']);
  expect(await books.balance('undecided')).toBe(ABOVE);
  await decide(lapsed.id, 'reject');
});

it('a payout under review keeps its channel, through which it would never leave if it was approved later', async () => {
  const channelId = await books.createChannel();
  await books.deposit('keeps-channel', ABOVE);
  const { id } = await ask(channelId, 'keeps-channel', ABOVE);
  const remove = () => books.channels.delete(OPERATOR, channelId);
  await expect(remove()).rejects.toMatchObject({ code: 'payout_channel.in_use' });
  await decide(id, 'reject');
  await remove();
  await expect(ask(channelId, 'keeps-channel', SMALL)).rejects.toMatchObject({
    code: 'payout_channel.not_found',
  });
});

it('a rain’s payout under review names its wins, and its user counts as the requester', async () => {
  const channelId = await books.createChannel();
  await win(channelId, 'watched', SMALL, SMALL);
  await books.sweepUnsent();
  const [payout] = await payoutsOf('watched');
  const { items } = await books.approvals.list({ status: 'pending', limit: 100 });
  const approval = items.find(({ subject }) => subject === `payout:${payout!.id}`)!;
  expect(approval).toMatchObject({
    action: 'payout.reserve',
    amount: '120.00',
    askedBy: 'watched',
    terms: { channelId, userId: 'watched', claims: '2' },
  });
  const self = books.approvals.approve(requestOf('watched', 'operator'), approval.id);
  await expect(self).rejects.toMatchObject({ code: 'approval.own' });
  const shown = await books.wonPackets.listOfUser('watched', 'CNY', {}, 10);
  expect(shown.paid.rows.map(({ settlement }) => settlement)).toEqual(['credited', 'credited']);
  await decide(payout!.id, 'approve');
  expect((await books.payouts.read(payout!.id)).steps).toMatchObject([
    { state: 'reserved', detail: { claims: 2, approvedBy: 'decider' } },
  ]);
  const deeds = await books.dataSource.query(
    `select actor_id, action, before, after from audit_log where subject = $1`,
    [`payout:${payout!.id}`],
  );
  expect(deeds).toEqual([
    {
      ...{ actor_id: 'decider', action: 'payout.reserve' },
      ...{ before: { state: 'review' }, after: { state: 'reserved' } },
    },
  ]);
});

it('a payout in a currency without a limit always waits for a second person, and the audit log names the currency', async () => {
  await books.addCurrency({ code: 'KWD', kind: 'money', name: 'Kuwaiti Dinar' });
  const channelId = await books.createChannel({ smallest: '0.001' }, { currency: 'KWD' });
  await books.deposit('nadir', 1_000n, 'KWD');
  const payout = await books.askForPayout('nadir', channelId, '0.001', 'KWD');
  expect(payout).toMatchObject({ state: 'review', amount: '0.001' });
  const details = await books.dataSource.query<{ detail: object }[]>(
    `select detail from audit_log where actor_id = 'nadir' order by action`,
  );
  expect(details.map(({ detail }) => detail)).toMatchObject([
    { action: 'payout.reserve', amount: '0.001', currency: 'KWD' },
    { channelId, amount: '0.001', currency: 'KWD' },
  ]);
});

it('the audit log names the server that asked for a payout under review, and not only its user, in each of its entries', async () => {
  const channelId = await books.createChannel();
  await books.deposit('served', ABOVE);
  const { id } = await ask(channelId, 'served', ABOVE, 'shop');
  const deeds = await books.dataSource.query(
    `select action, via from audit_log
      where actor_id = 'served' and (subject = 'payout:' || $1 or detail->>'subject' = 'payout:' || $1) order by action`,
    [id],
  );
  expect(deeds).toEqual([
    { action: 'approval.ask', via: 'shop' },
    { action: 'payout.ask', via: 'shop' },
  ]);
  await decide(id, 'reject');
});

/** These are fewer minor units than one person may move alone in the default currency. */
describe('a hundred coins, which have no limit, wait for a second person, who sees them as coins, in', () => {
  const COINS = 'COINS';
  const asker = () => requestOf('coin-asker', 'operator');

  beforeAll(() => books.addCurrency({ code: COINS, kind: 'points', name: 'Coins' }));

  const rainOfCoins = () => books.activity({ packets: 1, totalMinor: 100n, currency: COINS });

  async function openPayout(): Promise<string> {
    const channelId = await books.createChannel({ smallest: '1' }, { currency: COINS });
    await books.deposit('collector', 100n, COINS);
    const { id } = await books.askForPayout('collector', channelId, '100', COINS);
    await decide(id, 'approve');
    return id;
  }

  it.each<[string, () => Promise<object>]>([
    [
      'a deposit',
      () => books.serviceOf(DepositService).deposit(asker(), 'ann', { amount: '100', currency: COINS }),
    ],
    [
      'the reversal of a deposit',
      async () =>
        books.reversals.askToReverse(asker(), await books.deposit('ann', 100n, COINS), { reason: 'Twice.' }),
    ],
    [
      'a creation',
      () => {
        const now = Date.now();
        return books
          .serviceOf(CreateService)
          .create(asker(), {
            ...{ name: 'Coins', sponsorId: 'ann', totalAmount: '100', currency: COINS, packetCount: 1 },
            split: { kind: 'equal' },
            opensAt: new Date(now).toISOString(),
            closesAt: new Date(now + 600_000).toISOString(),
          });
      },
    ],
    [
      'a top-up',
      async () => {
        const body = { amount: '100', currency: COINS, packetCount: 1 };
        return books.serviceOf(TopUpService).topUp(asker(), await rainOfCoins(), body);
      },
    ],
    [
      'the void of a claim',
      async () => {
        const [claimId] = await books.claim(await rainOfCoins(), ['robot']);
        const letter = await books.dataSource.transaction((tx) =>
          books.letters.hold(tx, claimId!, 'a robot'),
        );
        return books.serviceOf(VoidService).declareVoid(asker(), letter!.id, { reason: 'A robot.' });
      },
    ],
    [
      'the end of a payout',
      async () =>
        books.resolutions.askToResolve(asker(), await openPayout(), { outcome: 'paid', evidence: 'A slip.' }),
    ],
  ])('%s', async (_, request) => {
    const pending = await request();
    expect(pending).toMatchObject({
      status: 'pending',
      askedBy: 'coin-asker',
      amount: '100',
      currency: COINS,
    });
    await books.approvals.reject(requestOf('decider'), (pending as { id: string }).id);
    expect(await books.broken()).toEqual([]);
  });
});

describe('the payouts that a user may have', () => {
  let channelId: string;

  beforeAll(async () => {
    channelId = await books.createChannel({ largest: '0.01' });
  });

  const unsentOf = async (user: string) => {
    const [row] = await books.dataSource.query<{ count: number }[]>(
      `select count(*)::int from payout_credit join account on account.id = wallet_account_id
        where owner_id = $1 and payout_id is null and released_at is null`,
      [user],
    );
    return row!.count;
  };
  const wake = () =>
    books.dataSource.query(
      `update payout_credit set due_at = '-infinity' where payout_id is null and released_at is null`,
    );

  it('are twenty in flight, including those of rains, and further wins wait', async () => {
    await books.deposit('busy', 18n);
    for (let i = 0; i < 18; i += 1) await ask(channelId, 'busy', 1n);
    await win(channelId, 'busy', 1n, 1n, 1n);
    await books.sweepUnsent();
    expect([(await payoutsOf('busy')).length, await unsentOf('busy')]).toEqual([20, 1]);
    await books.report(channelId, { id: (await payoutsOf('busy'))[0]!.id, outcome: 'paid' });
    await wake();
    await books.sweepUnsent();
    expect([(await payoutsOf('busy')).length, await unsentOf('busy')]).toEqual([21, 0]);
  });

  it('are a hundred a day, including those of rains, and further wins wait for the next day', async () => {
    await win(channelId, 'diligent', 1n);
    await books.sweepUnsent();
    await books.dataSource.query(`update payout_day set payouts = 99 where user_id = 'diligent'`);
    await win(channelId, 'diligent', 1n);
    await books.sweepUnsent();
    await win(channelId, 'diligent', 1n);
    await books.sweepUnsent();
    expect([(await payoutsOf('diligent')).length, await unsentOf('diligent')]).toEqual([2, 1]);
    await books.deposit('diligent', 1n);
    await expect(ask(channelId, 'diligent', 1n)).rejects.toMatchObject({ code: 'payout.limit_reached' });
    await books.dataSource.query(`update payout_day set day = day - 1 where user_id = 'diligent'`);
    await wake();
    await books.sweepUnsent();
    expect(await unsentOf('diligent')).toBe(0);
  });
});
