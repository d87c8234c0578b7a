import type { ChannelRow } from '../../src/extensions/payout/channel/channel.entity';
import { ChannelRepository } from '../../src/extensions/payout/channel/channel.repository';
import { PayoutDecisions } from '../../src/extensions/payout/book/payout-decisions';
import { PayoutRepository } from '../../src/extensions/payout/book/payout.repository';
import { ChannelClient } from '../../src/extensions/payout/send/channel-client';
import { OPERATOR, requestOf } from '../harness/books';
import { age, ask, claim, createChannel, makeDue, usersOf } from '../harness/channel-calls';
import { waitFor } from '../harness/engines';
import { PayoutReceiver } from '../harness/payout-receiver';
import { codeOf } from '../harness/problems';
import { books, proveBooks, shareCallingBooks } from '../harness/shared-books';

// A test may have left a finding open on purpose.
proveBooks({ except: ['I18'] });
shareCallingBooks();
afterEach(() => books.retireChannels());

describe('a channel that is called', () => {
  it('pays no more than perDay until midnight in its time zone', async () => {
    const channel = await createChannel({ perDay: '2.00', timeZone: 'Pacific/Pago_Pago' });
    for (const user of ['day-1', 'day-2', 'day-3']) await ask(channel, user);
    expect(await claim(channel)).toHaveLength(2);
    expect(await claim(channel)).toHaveLength(0);
    // This zone is 25 hours ahead, so it is another day there at any time.
    const profile = { ...channel.profile, timeZone: 'Pacific/Kiritimati' };
    expect(await claim({ ...channel, profile })).toHaveLength(1);
  });

  it('has one perDay if the clock steps back over midnight, and a new one after the clock was days ahead', async () => {
    const channel = await createChannel({ perDay: '1.00' });
    for (const user of ['step-1', 'step-2', 'step-3']) await ask(channel, user);
    // Verify compares the sum of a day with the moments of its payments, unless staff have changed the channel.
    await books.channels.change(OPERATOR, channel.id, { name: 'Moving shop' });
    expect(await claim(channel)).toHaveLength(1);
    const stepsBack = (days: number) =>
      books.dataSource.query(
        `update payout_pace set day = (now() at time zone 'UTC')::date + $2::int where channel_id = $1`,
        [channel.id, days],
      );
    await stepsBack(1);
    expect(await claim(channel)).toHaveLength(0);
    await stepsBack(2);
    expect(await claim(channel)).toHaveLength(1);
  });

  it('is asked about sent payouts on a day without further payments, and while its money is used up', async () => {
    const channel = await createChannel({ perDay: '1.00', inFlight: 7 });
    for (const user of ['asked-about', ...usersOf('next-day', 7)]) await ask(channel, user);
    const [sent] = await claim(channel);
    await books.answers.apply(sent!, { kind: 'outcome', outcome: 'processing' });
    const isDue = () => books.dataSource.query('update payout set due_at = now() where id = $1', [sent!.id]);
    await isDue();
    const [asked] = await claim(channel);
    expect(asked).toMatchObject({ id: sent!.id, method: 'GET' });

    const rich = { ...channel, profile: { ...channel.profile, perDay: undefined } };
    const full = { kind: 'full', reason: 'no-funds', stops: 'payments', waitSeconds: 86_400 } as const;
    for (const call of await claim(rich)) await books.answers.apply(call, full);
    await books.answers.apply(asked!, { kind: 'outcome', outcome: 'processing' });
    await isDue();
    expect(await claim(rich)).toMatchObject([{ id: sent!.id, method: 'GET' }]);
  });

  it('is called at once when staff resume it, however long a wait it has asked for', async () => {
    const channel = await createChannel();
    for (const user of usersOf('turned-away', 6)) await ask(channel, user);
    const full = { kind: 'full', reason: '429', stops: 'calls', waitSeconds: 86_400 } as const;
    for (const call of await claim(channel)) await books.answers.apply(call, full);
    await makeDue(channel);
    expect(await claim(channel)).toEqual([]);
    await books.setPaused(channel.id, false);
    expect(await claim(channel)).not.toEqual([]);
  });

  it('cannot end a repeated payment by a late refusal of the first call', async () => {
    const channel = await createChannel({ inFlight: 1 });
    await ask(channel, 'asked-again');
    const [first] = await claim(channel);
    await books.dataSource.query(
      `update payout set state = 'unknown', leased_until = now(), due_at = now() where id = $1`,
      [first!.id],
    );
    const [second] = await claim(channel);
    await books.answers.apply(first!, { kind: 'outcome', outcome: 'refused', code: 'user-closed' });
    await books.answers.apply(second!, { kind: 'outcome', outcome: 'paid', externalId: 'T-1' });
    const [payout] = await books.dataSource.query(`select state from payout where id = $1`, [first!.id]);
    expect(payout).toEqual({ state: 'paid' });
  });

  it('is held to its answer to the last call, even if the answer to an earlier call arrives later', async () => {
    const channel = await createChannel({ inFlight: 1 });
    await ask(channel, 'has-to-confirm');
    const [first] = await claim(channel);
    await books.dataSource.query(
      `update payout set state = 'unknown', leased_until = now(), due_at = now() where id = $1`,
      [first!.id],
    );
    const [second] = await claim(channel);
    const action = 'Confirm it in the app.';
    await books.answers.apply(second!, { kind: 'outcome', outcome: 'needs-user', action });
    await books.answers.apply(first!, { kind: 'outcome', outcome: 'processing', externalId: 'T-1' });
    await books.answers.apply(first!, { kind: 'outcome', outcome: 'processing', externalId: 'T-2' });
    const payout = await books.payouts.read(first!.id);
    expect(payout).toMatchObject({ state: 'needs-user', action, externalId: 'T-1' });
    expect(payout.findings).toMatchObject([{ kind: 'needs-user-but-processing' }]);
  });

  it('reserves half of its room for sent payouts, however many payouts wait ahead of them', async () => {
    const channel = await createChannel({ inFlight: 2 });
    for (const user of ['first', 'second', 'third', 'fourth']) await ask(channel, user);
    for (const call of await claim(channel))
      await books.answers.apply(call, { kind: 'outcome', outcome: 'processing' });
    await makeDue(channel);
    const methods = (await claim(channel)).map(({ method }) => method);
    expect(methods.sort()).toEqual(['GET', 'PUT']);
  });

  it('that takes one call at a time is called in turn to pay and to be asked about payments', async () => {
    const channel = await createChannel({ inFlight: 1 });
    for (const user of ['asked-about', 'next-1', 'next-2', 'next-3']) await ask(channel, user);
    const calls = { PUT: 0, GET: 0 };
    await waitFor(
      async () => {
        for (const call of await claim(channel)) {
          calls[call.method] += 1;
          await books.answers.apply(call, { kind: 'outcome', outcome: 'processing' });
        }
        await makeDue(channel);
        return calls.PUT > 1 && calls.GET > 0;
      },
      { what: 'two payments and a call that asks' },
    );
  });

  it('does not accept a payout that could never fit into a day, and pays those behind a payout that no longer fits', async () => {
    const channel = await createChannel({ perDay: '1.00' });
    const wish = (amount: string) => books.askForPayout('modest', channel.id, amount);
    await books.deposit('modest', 2_00n);
    expect(await codeOf(wish('1.01'))).toBe('payout.above_largest');
    await ask(channel, 'too-late');
    await wish('0.50');
    const lowered = { ...channel, profile: { ...channel.profile, perDay: '0.50' } };
    expect((await claim(lowered)).map(({ userId }) => userId)).toEqual(['modest']);
  });

  it('does not count payments that it refuses after midnight towards the new day', async () => {
    const channel = await createChannel({ perDay: '1.00' });
    for (const user of ['before-midnight', 'after-midnight', 'next']) await ask(channel, user);
    const [late] = await claim(channel);
    await books.dataSource.query(`update payout_pace set day = day - 1 where channel_id = $1`, [channel.id]);
    expect(await claim(channel)).toHaveLength(1);
    const yesterday = { ...late!, at: new Date(late!.at.getTime() - 86_400_000) };
    await books.answers.apply(yesterday, {
      kind: 'full',
      reason: 'limit-channel',
      stops: 'payments',
      waitSeconds: 0,
    });
    expect(await claim(channel)).toEqual([]);
  });

  it('moves to other books only when all sent payouts have ended, and sends nothing to the former URL', async () => {
    const former = await createChannel();
    const { id } = former;
    const move = (port: number, sameBooks?: boolean) =>
      books.channels.change(OPERATOR, id, { url: `http://127.0.0.1:${port}`, sameBooks });
    await ask(former, 'moved');
    await move(10);
    expect(await claim(former)).toEqual([]);
    const moved = await books.beginCalls(id);
    const moving = await books.dataSource.transaction(async (tx) => {
      await tx.query(`select from payout_pace where channel_id = $1 for update`, [id]);
      const codes = [codeOf(move(11))];
      await waitFor(async () => (await books.blocked()).length === 1, { what: 'the change to wait' });
      await tx.query(`update payout set first_sent_at = now() where channel_id = $1`, [id]);
      return codes;
    });
    expect(await Promise.all(moving)).toEqual(['payout_channel.in_use']);
    await move(11, true);
    expect([await claim(moved), await claim(await books.beginCalls(id))]).toMatchObject([[], [{}]]);
  });

  it('has simultaneous answers posted in one transaction, which contradictions neither join nor spoil', async () => {
    const channel = await createChannel();
    for (const user of ['together-1', 'contradicts', 'together-2']) await ask(channel, user);
    const calls = await claim(channel);
    const say = (i: number, outcome: 'processing' | 'paid', externalId: string) =>
      books.answers.apply(calls[i]!, { kind: 'outcome', outcome, externalId });
    await say(1, 'processing', 'T-1');
    await Promise.all([say(0, 'paid', 'T-0'), say(1, 'paid', 'another'), say(2, 'paid', 'T-2')]);
    const states = `select user_id || ' ' || state as line from payout where channel_id = $1 order by id`;
    const lines = await books.dataSource.query<{ line: string }[]>(states, [channel.id]);
    expect(lines.map(({ line }) => line)).toEqual([
      ...['together-1 paid', 'contradicts processing', 'together-2 paid'],
    ]);
    const posted = `select count(*)::int as count, count(distinct transfer.xmin::text)::int as transactions
                      from transfer join payout on payout.id = source_id where kind = 'payout-paid' and channel_id = $1`;
    expect(await books.dataSource.query(posted, [channel.id])).toEqual([{ count: 2, transactions: 1 }]);
    expect(await books.balance(channel.id, 'outbound')).toBe(1_00n);
  });

  it('is never sent a payment again after its keyLifetimeSeconds, only asked about it', async () => {
    const channel = await createChannel({ keyLifetimeSeconds: 3_600 });
    await ask(channel, 'forgotten');
    const [first] = await claim(channel);
    await books.answers.apply(first!, { kind: 'unknown', reason: 'cut' });
    const methods = [];
    for (let i = 0; i < 4; i++) {
      await age(channel);
      const [call] = await claim(channel);
      methods.push(call!.method);
      await books.answers.apply(call!, { kind: 'not-found' });
    }
    expect([first!.method, ...methods]).toEqual(['PUT', 'GET', 'GET', 'GET', 'GET']);
    const found = `select kind from payout_finding where channel_id = $1 and ended_at is null`;
    expect(await books.dataSource.query(found, [channel.id])).toEqual([{ kind: 'key-expired' }]);
  });

  it('never gets a payment again that was sent by a clock that was ahead', async () => {
    const channel = await createChannel();
    await ask(channel, 'from-the-future');
    const [first] = await claim(channel);
    await books.answers.apply(first!, { kind: 'unknown', reason: 'cut' });
    for (let i = 0; i < 3; i++) {
      await age(channel);
      await books.dataSource.query(
        `update payout set first_sent_at = now() + interval '1 hour' where channel_id = $1`,
        [channel.id],
      );
      const [call] = await claim(channel);
      expect(call!.method).toBe('GET');
      await books.answers.apply(call!, { kind: 'not-found' });
    }
  });

  it('is not called for a user whom it has refused three times in a row; other users and channels continue', async () => {
    const [channel, other] = [await createChannel(), await createChannel()];
    for (let i = 0; i < 3; i++) {
      await ask(channel, 'at-the-limit');
      const [call] = await claim(channel);
      await books.answers.apply(call!, { kind: 'outcome', outcome: 'refused', code: 'limit-user' });
    }
    for (const [where, user] of [
      [channel, 'at-the-limit'],
      [channel, 'within-it'],
      [other, 'at-the-limit'],
    ] as const)
      await ask(where, user);
    const users = async (where: ChannelRow) => (await claim(where)).map(({ userId }) => userId);
    expect([await users(channel), await users(other)]).toEqual([['within-it'], ['at-the-limit']]);
  });

  it.each<[string, (channel: ChannelRow, userId: string, isHeld: boolean) => Promise<unknown>]>([
    ['a wallet is frozen', (_, userId, isHeld) => books.setStatus(userId, isHeld ? 'frozen' : 'active')],
    ['it is paused', ({ id }, _, paused) => books.setPaused(id, paused)],
  ])(
    'gets no payments while %s, and is asked only about a payment that it may have made',
    async (words, hold) => {
      const channel = await createChannel({ keyLifetimeSeconds: 90 * 86_400 });
      const user = `while ${words}`;
      await ask(channel, user);
      await hold(channel, user, true);
      expect(await claim(channel)).toEqual([]);
      const methods = [];
      for (const isHeld of [false, true, true, true, false]) {
        await hold(channel, user, isHeld);
        await age(channel);
        const [call] = await claim(channel);
        methods.push(call!.method);
        const isAsked = call!.method === 'GET';
        await books.answers.apply(
          call!,
          isAsked ? { kind: 'not-found' } : { kind: 'unknown', reason: 'cut' },
        );
      }
      expect(methods).toEqual(['PUT', 'GET', 'GET', 'GET', 'PUT']);
    },
  );

  it.each<[string, RegExp, (channel: ChannelRow, userId: string) => Promise<string>, object]>([
    [
      'while its wallet is frozen',
      /the wallet of .* is frozen/,
      async (channel, userId) => {
        const id = await ask(channel, userId);
        await books.setStatus(userId, 'frozen');
        return id;
      },
      {},
    ],
    [
      'after its user was refused three times in a row',
      /has refused .* three times/,
      async (channel, userId) => {
        for (let i = 0; i < 3; i++) {
          await ask(channel, userId);
          const [call] = await claim(channel);
          await books.answers.apply(call!, { kind: 'outcome', outcome: 'refused', code: 'limit-user' });
        }
        return ask(channel, userId);
      },
      {},
    ],
    [
      'on a day whose allowance is used up',
      /more than the channel may still be sent today/,
      async (channel, userId) => {
        await ask(channel, 'spender of the day');
        expect((await claim(channel)).length).toBe(1);
        return ask(channel, userId);
      },
      { perDay: '1.00' },
    ],
  ])(
    'is not called for a retry of a payout %s, and the answer says why',
    async (words, why, waiting, profile) => {
      const channel = await createChannel(profile);
      const id = await waiting(channel, `retried ${words}`);
      const answer = await books.payouts.retry(requestOf('finance'), id).catch((error: unknown) => error);
      expect(answer).toMatchObject({ code: 'payout_channel.held', detail: expect.stringMatching(why) });
      expect((await claim(channel)).length).toBe(0);
    },
  );

  it('that says that it has paid something else gets no further payments, while other channels do', async () => {
    const [liar, other] = [await createChannel(), await createChannel()];
    await ask(liar, 'lied-to');
    const [call] = await claim(liar);
    await books.answers.apply(call!, { kind: 'differs', said: { amount: '2.00' } });
    for (const channel of [liar, other]) await ask(channel, 'next');
    await makeDue(liar);
    expect([await claim(liar), await claim(other)]).toMatchObject([
      [{ userId: 'lied-to', method: 'GET' }],
      [{ userId: 'next', method: 'PUT' }],
    ]);
  });

  it('has its turn as long as something of it is due, even while it is paused', async () => {
    const channel = await createChannel();
    const isDue = async () =>
      (await books.serviceOf(ChannelRepository).called()).find(({ id }) => id === channel.id)?.isDue;
    expect(await isDue()).toBe(false);
    await ask(channel, 'asked-about-meanwhile');
    await books.setPaused(channel.id, true);
    expect(await isDue()).toBe(true);
  });

  it('has whatever staff do with it on record, and its secrets neither there nor anywhere after its end', async () => {
    const { id, secret } = await createChannel({ perDay: '9.00' });
    await books.channels.change(requestOf('op-1', 'operator').caller, id, {
      ...{ profile: { perDay: '8.00' }, paused: true, url: 'http://127.0.0.1:10', sameBooks: true },
    });
    const { secret: next } = await books.channels.rotateSecret(requestOf('op-2', 'operator'), id);
    await books.channels.delete(requestOf('op-3', 'operator').caller, id);
    const deeds = await books.dataSource.query<object[]>(
      `select actor_id as actor, action, before, after, detail from audit_log where subject = $1 order by id`,
      [`payout-channel:${id}`],
    );
    const [before, after] = [
      { isPaused: false, url: 'http://127.0.0.1:9/', profile: { perDay: '9.00' } },
      { isPaused: true, url: 'http://127.0.0.1:10/', profile: { perDay: '8.00' } },
    ];
    expect(deeds).toMatchObject([
      { actor: 'operator', action: 'payout-channel.create', after: before },
      { actor: 'op-1', action: 'payout-channel.change', before, after, detail: { sameBooks: true } },
      { actor: 'op-2', action: 'payout-channel.rotate-secret' },
      { actor: 'op-3', action: 'payout-channel.delete', before: { profile: { perDay: '8.00' } } },
    ]);
    for (const one of [secret, next]) expect(JSON.stringify(deeds)).not.toContain(one);
    const kept = `select secret, former_secret, former_secret_until from payout_channel where id = $1`;
    expect(await books.dataSource.query(kept, [id])).toEqual([
      { secret: null, former_secret: null, former_secret_until: null },
    ]);
  });

  it('is resumed with an answer that says what still holds it', async () => {
    const channel = await createChannel();
    await ask(channel, 'lied-to-again');
    const [call] = await claim(channel);
    await books.answers.apply(call!, { kind: 'differs', said: { amount: '2.00' } });
    const change = (paused: boolean) => books.channels.change(OPERATOR, channel.id, { paused });
    expect(await change(true)).toMatchObject({ paused: true, heldBecause: 'it is paused' });
    expect(await change(false)).toMatchObject({
      paused: false,
      heldBecause: 'a finding leaves open what it has paid',
    });
    const other = await createChannel();
    expect((await books.channels.change(OPERATOR, other.id, { paused: false })).heldBecause).toBeUndefined();
  });

  it('is called no more often than perSecond; a pause saves up the calls of at most 200 ms', async () => {
    const channel = await createChannel({ perSecond: 10 });
    for (const user of usersOf('paced', 5)) await ask(channel, user);
    expect(await claim(channel)).toHaveLength(2);
    const noTimePasses = `update payout_pace set filled_at = now() + interval '1 minute' where channel_id = $1`;
    await books.dataSource.query(noTimePasses, [channel.id]);
    expect(await books.calls.take(channel)).toEqual([]);
    expect(await claim(channel)).toHaveLength(2);
  });

  it('is not called by a process that has held the call back for as long as it may take', async () => {
    const channel = await createChannel();
    await ask(channel, 'kept-waiting');
    const [call] = await claim(channel);
    const making = books.serviceOf(ChannelClient).make(channel, call!, () => 5_000);
    expect(await making).toEqual({ kind: 'unknown', reason: 'was held up', isOurs: true });
  });

  it.each(['ftp://127.0.0.1/', 'http://127.0.0.1:9/?shop=1', 'http://127.0.0.1:9/#books'])(
    'cannot be moved to a URL to which no path can be appended: %s',
    async (url) => {
      const { id } = await createChannel();
      const moving = books.channels.change(OPERATOR, id, { url });
      await expect(moving).rejects.toMatchObject({ code: 'request.invalid', fields: [{ field: 'url' }] });
    },
  );
});

describe('payments in several currencies', () => {
  let receiver: PayoutReceiver;

  beforeAll(async () => {
    receiver = await PayoutReceiver.start();
    await books.addCurrency({ code: 'KWD', kind: 'money', name: 'Kuwaiti Dinar' });
  });
  afterAll(() => receiver.stop());

  /** Creates a channel through which a user has asked for 7.105. */
  async function channelInDinars(userId: string): Promise<ChannelRow> {
    const terms = { url: receiver.url, currency: 'KWD' };
    const channelId = await books.createChannel({ smallest: '0.001' }, terms);
    await books.deposit(userId, 7_105n, 'KWD');
    await books.askForPayout(userId, channelId, '7.105', 'KWD');
    return books.beginCalls(channelId);
  }

  it('are asked for to the last decimal of the channel’s own', async () => {
    const channel = await channelInDinars('to-the-last-fils');
    const [call] = await claim(channel);
    const result = await books.serviceOf(ChannelClient).make(channel, call!, () => 0);
    expect(receiver.seen.map(({ text }) => JSON.parse(text))).toMatchObject([
      { userId: 'to-the-last-fils', amount: '7.105', amountMinor: '7105', currency: 'KWD' },
    ]);
    await books.answers.apply(call!, result);
    expect(await books.payouts.read(call!.id)).toMatchObject({ state: 'paid', amount: '7.105' });
  });

  it('are taken from the account of their own channel if those of several channels are answered at once', async () => {
    const channels = [await createChannel(), await createChannel(), await channelInDinars('in-dinars')];
    for (const channel of channels.slice(0, 2)) await ask(channel, 'in-yuan');
    const calls = [];
    for (const channel of channels) calls.push(...(await claim(channel)));
    await Promise.all(calls.map((call) => books.answers.apply(call, { kind: 'outcome', outcome: 'paid' })));
    const left = await Promise.all(channels.map(({ id }) => books.balance(id, 'outbound')));
    expect([calls.length, left]).toEqual([3, [0n, 0n, 0n]]);
  });
});

describe('a channel that reads waiting payouts', () => {
  it('has its last read of a payout recorded, so that older evidence against the payout is refused', async () => {
    const channel = await books.beginCalls(await books.createChannel());
    await ask(channel, 'read-twice');
    const readIt = async () => (await books.readWaiting(channel.id)).items[0]!.id;
    const payoutId = await readIt();
    await books.dataSource.query(`update payout set last_sent_at = now() - interval '1 day' where id = $1`, [
      payoutId,
    ]);
    const { lastSentAt } = await books.payouts.read(payoutId);
    expect(await readIt()).toBe(payoutId);
    const approver = { userId: 'finance', role: 'finance' } as const;
    const resolve = (seen: string | null | undefined) =>
      books.dataSource.transaction((tx) =>
        books
          .serviceOf(PayoutDecisions)
          .resolve(tx, approver, payoutId, {
            outcome: 'refused',
            evidence: 'The shop has not paid it.',
            lastSentAt: seen!,
          }),
      );
    for (const seen of [lastSentAt, undefined])
      expect([seen, await codeOf(resolve(seen))]).toEqual([seen, 'payout.sent_again']);
    const { lastSentAt: newest } = await books.payouts.read(payoutId);
    await expect(resolve(undefined)).rejects.toThrow(`Payout ${payoutId} was last sent at ${newest}.`);
    await resolve(newest);
    const { state, code, steps } = await books.payouts.read(payoutId);
    const evidence = 'The shop has not paid it.';
    expect({ state, code, last: steps.at(-1)!.detail }).toMatchObject({
      ...{ state: 'refused', code: 'resolved' },
      last: { evidence, approvedBy: 'finance' },
    });
    const noted = await books.dataSource.query(
      `select before, after, detail from audit_log where action = 'payout.resolve' and subject = $1`,
      [`payout:${payoutId}`],
    );
    expect(noted).toEqual([
      { before: { state: 'reserved' }, after: { state: 'refused' }, detail: { evidence } },
    ]);
  });

  it('has paid what people say it has paid, however old their evidence is', async () => {
    const id = await books.createChannel();
    await ask(await books.beginCalls(id), 'paid-by-evidence');
    const payoutId = (await books.readWaiting(id)).items[0]!.id;
    await books.dataSource.transaction((tx) =>
      books
        .serviceOf(PayoutDecisions)
        .resolve(tx, { userId: 'finance', role: 'finance' }, payoutId, {
          outcome: 'paid',
          evidence: 'The book of the shop.',
        }),
    );
    const { state, code } = await books.payouts.read(payoutId);
    expect({ state, code }).toEqual({ state: 'paid', code: null });
  });

  it('does not see a payout that was refused after it was listed', async () => {
    const id = await books.createChannel();
    const payoutId = await ask(await books.beginCalls(id), 'refused-meanwhile');
    const payouts = books.serviceOf(PayoutRepository);
    const list = payouts.waiting.bind(payouts);
    const listing = jest.spyOn(payouts, 'waiting').mockImplementationOnce(async (...page) => {
      const listed = await list(...page);
      await books.report(id, { id: payoutId, outcome: 'refused' });
      return listed;
    });
    const { items } = await books.readWaiting(id);
    listing.mockRestore();
    expect([items, (await books.payouts.read(payoutId)).state]).toEqual([[], 'refused']);
  });

  it('does not see a payout that a second person may be ending, until a minute after the last moment at which they may', async () => {
    const id = await books.createChannel();
    for (const user of ['page-1', 'may-end', 'page-2']) await ask(await books.beginCalls(id), user);
    const { items } = await books.payoutLists.list({ userId: 'may-end', limit: 1 });
    const said = { outcome: 'refused', evidence: 'The shop has not paid it.' } as const;
    await books.resolutions.askToResolve(requestOf('asker'), items[0]!.id, said);
    const shownAfter = async (lapsed: string) => {
      const lapse = `update approval set expires_at = now() - $2::interval where source_id = $1 and status = 'pending'`;
      await books.dataSource.query(lapse, [items[0]!.id, lapsed]);
      const first = await books.readWaiting(id, { limit: 1 });
      const next = await books.readWaiting(id, { limit: 1, cursor: first.nextCursor! });
      return [...first.items, ...next.items].map(({ userId }) => userId);
    };
    expect(await shownAfter('-1 hour')).toEqual(['page-1', 'page-2']);
    expect(await shownAfter('30 seconds')).toEqual(['page-1', 'page-2']);
    expect(await shownAfter('2 minutes')).toEqual(['page-1', 'may-end']);
  });
});

it.each([
  [0, 0],
  [1, 1],
])(
  'a payout that may have been paid and was reported unknown %i times is asked about %i seconds after staff request it, even while its channel is paused',
  async (notFound, seconds) => {
    const channel = await createChannel();
    await ask(channel, `requested-${notFound}`);
    const [call] = await claim(channel);
    await books.answers.apply(call!, { kind: 'unknown', reason: 'cut' });
    const putOff = `update payout set not_found = $2, due_at = now() + interval '10 minutes' where id = $1`;
    await books.dataSource.query(putOff, [call!.id, notFound]);
    await books.setPaused(channel.id, true);
    await books.payouts.retry(requestOf('finance'), call!.id);
    const waits = await books.dataSource.query(
      `select extract(epoch from due_at - at)::float8 as seconds from payout
         join audit_log on subject = 'payout:' || payout.id and audit_log.action = 'payout.retry' where payout.id = $1`,
      [call!.id],
    );
    expect(waits).toEqual([{ seconds }]);
  },
);

it('a payout that is being sent is not returned, no matter who says that it was refused', async () => {
  const channel = await createChannel();
  await ask(channel, 'being-sent');
  const [call] = await claim(channel);
  const { id } = call!;
  const refused = { outcome: 'refused', evidence: 'The shop says so.' } as const;
  const resolving = books.resolutions.askToResolve(requestOf('finance'), id, refused);
  expect(await codeOf(resolving)).toBe('payout.not_open');
  expect(await books.report(channel.id, { id, outcome: 'refused', code: 'user-closed' })).toEqual([
    { id, result: 'unchanged', state: 'sending' },
  ]);
  await books.answers.apply(call!, { kind: 'outcome', outcome: 'paid' });
  expect((await books.payouts.read(id)).state).toBe('paid');
});

it('a line of a file about a superseded attempt moves no money, unless it was paid', async () => {
  const channel = await createChannel();
  await ask(channel, 'second-attempt');
  const [call] = await claim(channel);
  await books.answers.apply(call!, { kind: 'outcome', outcome: 'processing' });
  await books.dataSource.query('update payout set attempt = 2 where id = $1', [call!.id]);
  const states = [];
  for (const [day, said] of [
    ['2020-02-01', 'refused'],
    ['2020-02-02', 'paid'],
  ] as const) {
    const line = `${call!.id}a1,second-attempt,1.00,${said},2020-01-31T12:00:00.000Z`;
    await books.handIn(channel.id, day, line);
    states.push((await books.payouts.read(call!.id)).state);
  }
  expect(states).toEqual(['processing', 'paid']);
});

it('each line of a file that repeats a payment is a finding of its own, even while another finding is open', async () => {
  const channel = await createChannel();
  await ask(channel, 'paid-three-times');
  const [call] = await claim(channel);
  await books.answers.apply(call!, { kind: 'outcome', outcome: 'paid', externalId: 'T-1' });
  const lines = [1, 2, 3].map(
    (hour) => `${call!.id}a1,paid-three-times,1.00,paid,2020-01-31T1${hour}:00:00.000Z`,
  );
  expect((await books.handIn(channel.id, '2020-02-01', ...lines)).found).toBe(2);
  const { items } = await books.findings.list({ state: 'open', channelId: channel.id, limit: 10 });
  expect(items.map(({ kind }) => kind)).toEqual(['paid-twice', 'paid-twice']);
});

it('files of two days with the same wrong lines in opposite order are both read, whichever arrives first', async () => {
  const { id: channelId } = await createChannel();
  const at = '2020-01-31T12:00:00.000Z';
  const lineOf = (id: string) => `${id},stranger,1.00,paid,${at}`;
  const take = (day: string, ...ids: string[]) => books.handIn(channelId, day, ...ids.map(lineOf));
  const bothWait = { what: 'both files to wait' };
  const findings = await books.dataSource.transaction(async (tx) => {
    await tx.query(
      `insert into payout_finding (channel_id, kind, detail, line) values ($1, 'never-sent', '{}', $2)`,
      [
        channelId,
        JSON.stringify({ payoutId: '900005', userId: 'stranger', amount: '1.00', state: 'paid', at }),
      ],
    );
    const taken = [
      take('2020-02-01', '900001', '900005', '900009'),
      take('2020-02-02', '900009', '900005', '900001'),
    ];
    await waitFor(async () => (await books.blocked()).length === 2, bothWait);
    return taken;
  });
  const counts = (await Promise.all(findings)).map(({ found }) => found);
  expect(counts.sort()).toEqual([0, 2]);
});
