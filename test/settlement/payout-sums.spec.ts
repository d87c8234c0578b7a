import type { ChannelProfileBody } from '../../src/extensions/payout/channel/channel.dto';
import type { Call } from '../../src/extensions/payout/send/due.repository';
import { PayoutRepository } from '../../src/extensions/payout/book/payout.repository';
import { ReviewSweep } from '../../src/extensions/payout/book/review-sweep';
import { UsableChannels } from '../../src/extensions/payout/channel/usable-channels';
import { requestOf } from '../harness/books';
import { claim as claimOf, createChannel, makeDue } from '../harness/channel-calls';
import { codeOf } from '../harness/problems';
import { books, proveBooks, shareCallingBooks } from '../harness/shared-books';

const DAY_MS = 86_400_000;
const BIGINT_MAX = 2n ** 63n - 1n;

// Tests here move days by hand, which I27 sees.
proveBooks({ except: ['I27'] });
shareCallingBooks({ APPROVAL_ABOVE: '50.00' });
afterEach(() => books.retireChannels());

const sql = <Row>(text: string, ...values: unknown[]): Promise<Row[]> =>
  books.dataSource.query<Row[]>(text, values);

const createCalled = async (profile?: Partial<ChannelProfileBody>) => (await createChannel(profile)).id;

/** Returns "done", or the code of the problem. */
const tryToAsk = (userId: string, channelId: string, amount: string) =>
  codeOf(books.askForPayout(userId, channelId, amount));

async function win(channelId: string, userId: string): Promise<void> {
  const activityId = await books.activity({ packets: 1, payout: { channelId } });
  await books.settlement.settle(await books.claim(activityId, [userId]));
}

const sumOf = async (userId: string, channelId: string): Promise<string | null> => {
  const query = `select sum(amount_minor) as sum from payout where user_id = $1 and channel_id = $2 and state <> 'refused'`;
  const [row] = await sql<{ sum: string | null }>(query, userId, channelId);
  return row!.sum;
};

const claim = async (channelId: string): Promise<Call[]> => claimOf(await books.beginCalls(channelId));

const NOT_FOUND = { kind: 'not-found' } as const;
const LOST = { kind: 'unknown', reason: 'did not answer in time' } as const;
const PAID = { kind: 'outcome', outcome: 'paid' } as const;
const REFUSED = { kind: 'outcome', outcome: 'refused', code: 'limit-user' } as const;

/** Moves the first and the last sending of a channel's payouts to this many seconds ago. */
const setSent = (channelId: string, firstSeconds: number, lastSeconds: number) =>
  sql(
    `update payout
        set due_at = now(), first_sent_at = now() - make_interval(secs => $2), last_sent_at = now() - make_interval(secs => $3)
      where channel_id = $1 and ended_at is null`,
    ...[channelId, firstSeconds, lastSeconds],
  );

describe('the day of a user in a channel', () => {
  it.each([undefined, '50.00'])(
    'has room for a hundred payouts, even with perUserPerDay %s',
    async (perUserPerDay) => {
      const channelId = await books.createChannel({ perUserPerDay });
      const user = `often-${perUserPerDay}`;
      await books.deposit(user, 100n);
      await books.askForPayout(user, channelId, '0.01');
      await sql(`update payout_day set payouts = 99 where user_id = $1`, user);
      expect(await tryToAsk(user, channelId, '0.01')).toBe('done');
      await expect(books.askForPayout(user, channelId, '0.01')).rejects.toMatchObject({
        code: 'payout.limit_reached',
        detail: 'A user may have at most 100 payouts a day.',
      });
    },
  );

  it('leaves a user at most twenty payouts in flight, whatever channels they go through', async () => {
    const channelIds = [await books.createChannel(), await books.createChannel()];
    await books.deposit('through-both', 100n);
    for (let i = 0; i < 20; i++) await books.askForPayout('through-both', channelIds[i % 2]!, '0.01');
    for (const channelId of channelIds)
      expect(await tryToAsk('through-both', channelId, '0.01')).toBe('payout.limit_reached');
  });

  it('leaves twenty for each currency, since only the wallet in it keeps their number', async () => {
    await books.addCurrency({ code: 'COINS', kind: 'points', name: 'Coins' });
    const money = await books.createChannel();
    const coins = await books.createChannel({ smallest: '1' }, { currency: 'COINS' });
    await books.deposit('in-both', 100n);
    await books.deposit('in-both', 100n, 'COINS');
    const askForCoins = () => codeOf(books.askForPayout('in-both', coins, '1', 'COINS'));
    for (let i = 0; i < 20; i++) await books.askForPayout('in-both', money, '0.01');
    expect(await tryToAsk('in-both', money, '0.01')).toBe('payout.limit_reached');
    for (let i = 0; i < 20; i++) expect(await askForCoins()).toBe('done');
    expect(await askForCoins()).toBe('payout.limit_reached');
  });

  it('is not full for another user or another channel, whether payouts are requested or gathered', async () => {
    const [full, free] = [
      await books.createChannel({ perUserPerDay: '1.00' }),
      await books.createChannel({ perUserPerDay: '1.00' }),
    ];
    for (const user of ['full-ann', 'free-bob']) await books.deposit(user, 500n);
    await books.askForPayout('full-ann', full, '1.00');
    expect(await tryToAsk('full-ann', full, '0.01')).toBe('payout.limit_reached');
    await win(full, 'full-ann');
    await win(full, 'free-bob');
    await win(free, 'full-ann');
    await books.sweepUnsent();
    expect([await sumOf('full-ann', full), await sumOf('free-bob', full)]).toEqual(['100', '100']);
    expect(await sumOf('full-ann', free)).toBe('100');
    expect(await tryToAsk('free-bob', full, '0.01')).toBe('payout.limit_reached');
    expect(await tryToAsk('free-bob', free, '1.00')).toBe('done');
  });

  it('has an end even without perUserPerDay, long before its sum cannot be written, and holds up nobody else', async () => {
    const channelId = await books.createChannel();
    await books.deposit('whale', 100n);
    await books.askForPayout('whale', channelId, '0.01');
    await sql(`update payout_day set amount_minor = ${BIGINT_MAX} where user_id = 'whale'`);
    expect(await tryToAsk('whale', channelId, '0.01')).toBe('payout.limit_reached');
    for (const user of ['whale', 'minnow']) await win(channelId, user);
    await books.sweepUnsent();
    expect([await sumOf('whale', channelId), await sumOf('minnow', channelId)]).toEqual(['1', '100']);
  });

  it('regains room after the refusal of a payout of this day, and not of another day', async () => {
    const channelId = await books.createChannel({ perUserPerDay: '2.00' });
    await books.deposit('refused-later', 1_000n);
    const { id: former } = await books.askForPayout('refused-later', channelId, '2.00');
    const back = `update %s set day = day - 1 where user_id = 'refused-later'`;
    for (const table of ['payout', 'payout_day']) await sql(back.replace('%s', table));
    const { id: today } = await books.askForPayout('refused-later', channelId, '1.50');
    await books.report(channelId, { id: former, outcome: 'refused' });
    expect(await tryToAsk('refused-later', channelId, '0.51')).toBe('payout.limit_reached');
    await books.report(channelId, { id: today, outcome: 'refused' });
    expect(await tryToAsk('refused-later', channelId, '2.01')).toBe('payout.limit_reached');
    expect(await tryToAsk('refused-later', channelId, '2.00')).toBe('done');
  });

  it('adds up all payouts of the day, whatever the user requests in turn', async () => {
    const channelId = await books.createChannel({ perUserPerDay: '3.00' });
    await books.deposit('in-turn', 1_000n);
    for (const amount of ['0.50', '1.00', '1.50'])
      expect(await tryToAsk('in-turn', channelId, amount)).toBe('done');
    expect(await tryToAsk('in-turn', channelId, '0.01')).toBe('payout.limit_reached');
  });

  it('regains room after a review has lapsed by the clocks of both engines, and not while it is open', async () => {
    const channelId = await books.createChannel({ perUserPerDay: '60.00' });
    await books.deposit('reviewed', 10_000n);
    const { id, state } = await books.askForPayout('reviewed', channelId, '60.00');
    expect(state).toBe('review');
    const sweepReviews = () => books.serviceOf(ReviewSweep).sweep(new AbortController().signal);
    await sweepReviews();
    expect(await tryToAsk('reviewed', channelId, '0.01')).toBe('payout.limit_reached');
    await sql(
      `update approval set expires_at = now() - interval '1 second' where source_id = $1 and action = 'payout.reserve'`,
      id,
    );
    const lapsedAt = (redisMs: number) => books.serviceOf(PayoutRepository).reviewExpired(redisMs / 1_000, 9);
    expect([await lapsedAt(Date.now() - DAY_MS), await lapsedAt(Date.now())]).toEqual([[], [id]]);
    await sweepReviews();
    expect(await books.payouts.read(id)).toMatchObject({ state: 'refused', code: 'review-expired' });
    expect(await tryToAsk('reviewed', channelId, '50.00')).toBe('done');
  });
});

describe('the day of a channel that is called', () => {
  it('counts a payment once, however often it is sent again', async () => {
    const channelId = await createCalled({ perDay: '2.00', quarantineSeconds: 1 });
    await books.deposit('asked-again', 100n);
    await books.deposit('next', 100n);
    await books.askForPayout('asked-again', channelId, '1.00');
    const [first] = await claim(channelId);
    await books.answers.apply(first!, LOST);
    await setSent(channelId, 60, 60);
    for (let question = 0; question < 2; question++) {
      const [call] = await claim(channelId);
      expect(call!.method).toBe('GET');
      await books.answers.apply(call!, NOT_FOUND);
      await makeDue({ id: channelId });
    }
    const [again] = await claim(channelId);
    expect(again).toMatchObject({ id: first!.id, method: 'PUT' });
    await books.answers.apply(again!, PAID);
    await books.askForPayout('next', channelId, '1.00');
    expect(await claim(channelId)).toMatchObject([{ userId: 'next', method: 'PUT' }]);
  });

  it('regains room for payments that the channel has not accepted, and not for those that it has', async () => {
    const channelId = await createCalled({ perDay: '1.00' });
    for (const user of ['not-taken', 'second', 'third']) {
      await books.deposit(user, 100n);
      await books.askForPayout(user, channelId, '1.00');
    }
    const [call] = await claim(channelId);
    expect(await claim(channelId)).toEqual([]);
    await books.answers.apply(call!, {
      kind: 'full',
      reason: 'answered 429',
      stops: 'calls',
      waitSeconds: 0,
    });
    const [again] = await claim(channelId);
    expect(again).toMatchObject({ method: 'PUT' });
    await books.answers.apply(again!, PAID);
    expect(await claim(channelId)).toEqual([]);
  });

  it('is left to the oldest payment that no longer fits: no smaller payment overtakes it', async () => {
    const channelId = await createCalled({ perDay: '3.00' });
    for (const [user, amount] of [
      ['oldest', '2.00'],
      ['too-large-today', '2.00'],
      ['smaller', '1.00'],
    ] as const) {
      await books.deposit(user, 200n);
      await books.askForPayout(user, channelId, amount);
    }
    expect(await claim(channelId)).toMatchObject([{ userId: 'oldest' }]);
    expect(await claim(channelId)).toEqual([]);
  });

  it('has an end even without perDay, long before its sum cannot be written', async () => {
    const channelId = await createCalled();
    for (const user of ['before-the-end', 'after-the-end']) await books.deposit(user, 100n);
    await books.askForPayout('before-the-end', channelId, '1.00');
    expect(await claim(channelId)).toMatchObject([{ userId: 'before-the-end' }]);
    await sql(`update payout_pace set day_minor = ${BIGINT_MAX} where channel_id = $1`, channelId);
    await books.askForPayout('after-the-end', channelId, '1.00');
    expect(await claim(channelId)).toEqual([]);
  });
});

describe('a payment without an answer', () => {
  const lost = async (user: string): Promise<string> => {
    const channelId = await createCalled({ quarantineSeconds: 120, keyLifetimeSeconds: 3_600 });
    await books.deposit(user, 100n);
    await books.askForPayout(user, channelId, '1.00');
    const [first] = await claim(channelId);
    await books.answers.apply(first!, LOST);
    return channelId;
  };
  /** The methods of this many calls, each of which is answered that the payment is unknown. */
  const methods = async (channelId: string, calls: number): Promise<string[]> => {
    const made: string[] = [];
    for (let i = 0; i < calls; i++) {
      const [call] = await claim(channelId);
      made.push(call!.method);
      await books.answers.apply(call!, call!.method === 'GET' ? NOT_FOUND : LOST);
      await makeDue({ id: channelId });
    }
    return made;
  };

  it('is sent again only after the channel has twice not known it since it was last sent', async () => {
    const channelId = await lost('twice-unknown');
    await setSent(channelId, 600, 600);
    expect(await methods(channelId, 3)).toEqual(['GET', 'GET', 'PUT']);
    await setSent(channelId, 1_200, 600);
    expect(await methods(channelId, 3)).toEqual(['GET', 'GET', 'PUT']);
  });

  it('is not sent again before the quarantine after the last attempt, however long ago the first attempt was', async () => {
    const channelId = await lost('in-quarantine');
    await setSent(channelId, 3_000, 60);
    expect(await methods(channelId, 4)).toEqual(['GET', 'GET', 'GET', 'GET']);
    await setSent(channelId, 3_000, 180);
    expect(await methods(channelId, 3)).toEqual(['GET', 'GET', 'PUT']);
  });

  it('is not sent again once its key has expired, counted from the first attempt, however late the last attempt was', async () => {
    const channelId = await lost('old-key');
    await setSent(channelId, 3_601, 180);
    expect(await methods(channelId, 4)).toEqual(['GET', 'GET', 'GET', 'GET']);
    await sql(
      `update payout_finding set ended_at = now(), resolution = 'A test.', ended_by = 'test' where ended_at is null`,
    );
  });
});

describe('a user whom a channel has refused three times in a row', () => {
  const refusedThrice = async (user: string): Promise<string> => {
    const channelId = await createCalled();
    await books.deposit(user, 1_000n);
    for (const verdict of [PAID, REFUSED, REFUSED, REFUSED]) {
      await books.askForPayout(user, channelId, '1.00');
      const [call] = await claim(channelId);
      await books.answers.apply(call!, verdict);
    }
    await books.askForPayout(user, channelId, '1.00');
    expect(await claim(channelId)).toEqual([]);
    return channelId;
  };

  it('is paid again ten minutes after the refusals, and not earlier', async () => {
    const channelId = await refusedThrice('patient');
    const minutesLater = (minutes: number) =>
      books.dataSource.transaction(async (tx) => {
        await tx.query('alter table payout disable trigger user');
        await tx.query(
          `update payout set ended_at = now() - make_interval(mins => $2) where channel_id = $1 and ended_at is not null`,
          [channelId, minutes],
        );
        await tx.query('alter table payout enable trigger user');
      });
    await minutesLater(9);
    expect(await claim(channelId)).toEqual([]);
    await minutesLater(10);
    expect(await claim(channelId)).toMatchObject([{ userId: 'patient' }]);
  });

  it('is paid again once a later payout has another end', async () => {
    const channelId = await refusedThrice('resolved');
    const { items } = await books.payoutLists.list({ userId: 'resolved', state: 'reserved', limit: 1 });
    await books.report(channelId, { id: items[0]!.id, outcome: 'paid' });
    await books.askForPayout('resolved', channelId, '1.00');
    expect(await claim(channelId)).toMatchObject([{ userId: 'resolved' }]);
  });
});

describe('a channel that asks to be left alone', () => {
  const full = (stops: 'calls' | 'payments', waitSeconds: number) =>
    ({ kind: 'full', reason: 'answered 429', stops, waitSeconds }) as const;

  it.each(['calls', 'payments'] as const)(
    'is left alone for the longest time that it has asked for, for its %s, once it has answered so for six users',
    async (stops) => {
      const channelId = await createCalled();
      for (let i = 0; i < 7; i++) {
        await books.deposit(`asked-${i}-${stops}`, 100n);
        await books.askForPayout(`asked-${i}-${stops}`, channelId, '1.00');
      }
      const calls = await claim(channelId);
      expect(calls).toHaveLength(7);
      for (const call of calls.slice(0, 6)) await books.answers.apply(call, full(stops, 3_600));
      await books.answers.apply(calls[6]!, full(stops, 1));
      const [pace] = await sql<{ seconds: number }>(
        `select extract(epoch from greatest(held_until, payments_held_until) - now())::int as seconds
         from payout_pace where channel_id = $1`,
        channelId,
      );
      expect(pace!.seconds).toBeGreaterThan(3_000);
      expect(await claim(channelId)).toEqual([]);
    },
  );
});

describe('the estimate of a channel', () => {
  const estimate = (channelId: string, packetCount: number, totalMinor: bigint) =>
    books.dataSource.transaction((tx) =>
      books.serviceOf(UsableChannels).estimate(tx, channelId, { packetCount, totalMinor }),
    );
  const lastsSeconds = async (channelId: string, packetCount: number, totalMinor: bigint) => {
    const { endsAt, days } = (await estimate(channelId, packetCount, totalMinor))!;
    return { days, seconds: Math.round((Date.parse(endsAt) - Date.now()) / 1_000) };
  };

  it('counts waiting payouts and unsent credits, and neither finished payouts nor those under review', async () => {
    const channelId = await createCalled({ perSecond: 1, gatherSeconds: 3_600 });
    await books.deposit('waiting', 100_000n);
    const { id: ended } = await books.askForPayout('waiting', channelId, '1.00');
    await books.report(channelId, { id: ended, outcome: 'paid' });
    for (let i = 0; i < 5; i++)
      expect((await books.askForPayout('waiting', channelId, '60.00')).state).toBe('review');
    for (let i = 0; i < 10; i++) await books.askForPayout('waiting', channelId, '1.00');
    for (let i = 0; i < 5; i++) await win(channelId, `credited-${i}`);
    const { days, seconds } = await lastsSeconds(channelId, 100, 100n);
    expect(days).toBe(1);
    expect(Math.abs(seconds - 115)).toBeLessThanOrEqual(2);
  });

  it('counts payments sent today towards the day, and not those sent on an earlier day', async () => {
    const channelId = await createCalled({ perDay: '10.00' });
    await books.deposit('sent-today', 400n);
    await books.askForPayout('sent-today', channelId, '4.00');
    const [call] = await claim(channelId);
    await books.answers.apply(call!, PAID);
    expect((await lastsSeconds(channelId, 1, 600n)).days).toBe(1);
    expect((await lastsSeconds(channelId, 1, 601n)).days).toBe(2);
    expect((await lastsSeconds(channelId, 1, 1_601n)).days).toBe(3);
    await sql('update payout_pace set day = day - 1 where channel_id = $1', channelId);
    expect((await lastsSeconds(channelId, 1, 1_000n)).days).toBe(1);
  });

  it('begins with the next day if nothing fits into today', async () => {
    const channelId = await createCalled({ perDay: '4.00' });
    await books.deposit('day-is-over', 400n);
    await books.askForPayout('day-is-over', channelId, '4.00');
    const [call] = await claim(channelId);
    await books.answers.apply(call!, PAID);
    const { endsAt, days } = (await estimate(channelId, 1, 400n))!;
    expect([days, endsAt.slice(0, 10)]).toEqual([
      1,
      new Date(Date.now() + DAY_MS).toISOString().slice(0, 10),
    ]);
  });
});

it('the former secret of a channel signs for a day after a rotation, and no longer', async () => {
  const channelId = await createCalled();
  await books.channels.rotateSecret(requestOf('operator', 'operator'), channelId);
  const [row] = await sql<{ hours: number }>(
    `select round(extract(epoch from former_secret_until - now()) / 3600)::int as hours from payout_channel where id = $1`,
    channelId,
  );
  expect(row!.hours).toBe(24);
});
