import type { ChannelRow } from '../../src/extensions/payout/channel/channel.entity';
import type { CallResult } from '../../src/extensions/payout/send/protocol';
import { DueRepository } from '../../src/extensions/payout/send/due.repository';
import { PaceRepository } from '../../src/extensions/payout/send/pace.repository';
import { ask, claim, createChannel, makeDue, usersOf } from '../harness/channel-calls';
import { rowsRead } from '../harness/rows-read';
import { books, proveBooks, shareCallingBooks } from '../harness/shared-books';

proveBooks();
shareCallingBooks();
afterEach(() => books.retireChannels());

const PAID: CallResult = { kind: 'outcome', outcome: 'paid' };
const SERVER_ERROR: CallResult = { kind: 'unknown', reason: 'answered 500' };

describe('the trouble of a few users', () => {
  const isOpen = async ({ id }: ChannelRow) => {
    const query = 'select open_until is not null as "isOpen" from payout_pace where channel_id = $1';
    const [pace] = await books.dataSource.query<{ isOpen: boolean }[]>(query, [id]);
    return pace!.isOpen;
  };

  const answers: [words: string, verdict: CallResult][] = [
    ['a server error', SERVER_ERROR],
    ['an unlisted code', { kind: 'unknown', reason: 'answered 422 under-review', isWell: true }],
    ['a refusal of access', { kind: 'misconfigured', reason: 'answered 403' }],
    ['a wait of an hour', { kind: 'full', reason: 'answered 429', stops: 'calls', waitSeconds: 3_600 }],
    ['no funds', { kind: 'full', reason: 'no-funds', stops: 'payments', waitSeconds: 3_600 }],
  ];

  it.each([[1, ...answers[0]!] as const, ...answers.map((answer) => [5, ...answer] as const)])(
    'does not keep others waiting: %i users with three payouts each that are always answered by %s',
    async (count, words, verdict) => {
      const channel = await createChannel();
      const troubled = usersOf(`${words} ${count}`, count);
      for (const user of troubled) for (let i = 0; i < 3; i++) await ask(channel, user);
      for (let round = 0; round < 5; round++) {
        await makeDue(channel);
        const other = `other ${round} than ${words} ${count}`;
        await ask(channel, other);
        const calls = await claim(channel);
        expect(calls.map(({ userId }) => userId)).toContain(other);
        for (const call of calls) await books.answers.apply(call, call.userId === other ? PAID : verdict);
        expect(await isOpen(channel)).toBe(false);
      }
    },
  );

  it('leaves three quarters of the room to others while their calls hang', async () => {
    const channel = await createChannel({ inFlight: 8 });
    for (const user of usersOf('hangs', 5)) for (let i = 0; i < 4; i++) await ask(channel, user);
    for (const call of await claim(channel)) await books.answers.apply(call, SERVER_ERROR);
    await ask(channel, 'is-well');
    for (const call of await claim(channel)) await books.answers.apply(call, PAID);
    await makeDue(channel);
    const hanging = await claim(channel);
    expect([hanging.length, (await claim(channel)).length]).toEqual([2, 0]);
    for (const user of usersOf('neighbor', 8)) await ask(channel, user);
    expect((await claim(channel)).map(({ userId }) => userId)).toEqual(usersOf('neighbor', 6));
  });

  it('takes no more than one call at a time for each of them', async () => {
    const channel = await createChannel();
    for (let i = 0; i < 3; i++) await ask(channel, 'one-by-one');
    for (let i = 0; i < 3; i++) {
      const [call, ...more] = await claim(channel);
      expect([more, await claim(channel)]).toEqual([[], []]);
      await books.answers.apply(call!, PAID);
    }
    expect(await claim(channel)).toEqual([]);
  });

  it('concerns one channel only: through another channel, the same users are paid in their turn', async () => {
    const [failing, sound] = [await createChannel(), await createChannel()];
    for (const channel of [failing, sound]) await ask(channel, 'fails-elsewhere');
    await ask(sound, 'comes-later');
    const [call] = await claim(failing);
    await books.answers.apply(call!, SERVER_ERROR);
    expect((await claim(sound)).map(({ userId }) => userId)).toEqual(['fails-elsewhere', 'comes-later']);
  });

  it('makes their payouts wait twice as long each time, and puts other payouts of a user before the one that failed', async () => {
    const channel = await createChannel();
    for (let i = 0; i < 2; i++) await ask(channel, 'waits');
    const waits = [];
    for (let i = 0; i < 12; i++) {
      await makeDue(channel);
      const [call] = await claim(channel);
      await books.answers.apply(call!, SERVER_ERROR);
      const [payout] = await books.dataSource.query<{ own: number; other: number }[]>(
        `select max(extract(epoch from due_at - now())) filter (where id = $2)::float8 as own,
                max(extract(epoch from due_at - now())) filter (where id <> $2)::float8 as other
           from payout where channel_id = $1`,
        [channel.id, call!.id],
      );
      const { own, other } = payout!;
      expect(own).toBeGreaterThanOrEqual(other);
      expect(own).toBeLessThanOrEqual(900);
      waits.push(Math.round(Math.log2(other)));
    }
    expect(waits.slice(3)).toEqual([2, 3, 4, 5, 6, 7, 8, 8, 8]);
  });

  it('ends when the channel reports the outcome of the payment, but not when it does not know the payment', async () => {
    const channel = await createChannel({ inFlight: 1 });
    await ask(channel, 'recovers');
    const inTrouble = () =>
      books.dataSource.query('select user_id from payout where channel_id = $1 and setbacks > 0', [
        channel.id,
      ]);
    const lengths = [];
    for (const verdict of [SERVER_ERROR, { kind: 'not-found' }, { kind: 'outcome', outcome: 'processing' }]) {
      await makeDue(channel);
      const [call] = await claim(channel);
      await books.answers.apply(call!, verdict as CallResult);
      lengths.push((await inTrouble()).length);
    }
    expect(lengths).toEqual([1, 1, 0]);
  });

  it('opens the circuit if six users in a row are in trouble, and a single answer about a payment closes it at once', async () => {
    const channel = await createChannel({ inFlight: 8 });
    for (const user of usersOf('fails', 6)) for (let i = 0; i < 2; i++) await ask(channel, user);
    const failing = await claim(channel);
    const states = [];
    for (const call of failing) {
      await books.answers.apply(call, SERVER_ERROR);
      states.push(await isOpen(channel));
    }
    expect(states).toEqual([false, false, false, false, false, true]);
    await makeDue(channel);
    await ask(channel, 'asked-about-first');
    const [probe, ...more] = await claim(channel);
    expect([probe, more]).toMatchObject([{ userId: 'asked-about-first', method: 'GET', isProbe: true }, []]);
    await books.answers.apply(probe!, { kind: 'not-found' });
    expect(await claim(channel)).toMatchObject([{ userId: 'asked-about-first', method: 'PUT' }]);
  });

  it('keeps an open circuit open, and does not make others wait longer for the next probe', async () => {
    const channel = await createChannel({ inFlight: 8 });
    for (const user of usersOf('only-these', 6)) await ask(channel, user);
    for (const call of await claim(channel)) await books.answers.apply(call, SERVER_ERROR);
    for (let i = 0; i < 6; i++) {
      await makeDue(channel);
      await books.dataSource.query('update payout_pace set open_until = now() where channel_id = $1', [
        channel.id,
      ]);
      const [probe] = await claim(channel);
      await books.answers.apply(probe!, SERVER_ERROR);
    }
    const [pace] = await books.dataSource.query<{ wait: number }[]>(
      'select extract(epoch from open_until - now())::float8 as wait from payout_pace where channel_id = $1',
      [channel.id],
    );
    expect(pace!.wait).toBeLessThanOrEqual(1.5);
  });

  it('is over for all users when a channel answers again, however long they were to wait', async () => {
    const channel = await createChannel({ inFlight: 8 });
    for (const user of usersOf('was-away', 6)) for (let i = 0; i < 2; i++) await ask(channel, user);
    for (const call of await claim(channel)) await books.answers.apply(call, SERVER_ERROR);
    await ask(channel, 'newcomer');
    await books.dataSource.query(
      `update payout set due_at = now() + interval '10 minutes', not_found = case user_id when 'was-away-1' then 1 else 0 end
        where channel_id = $1 and user_id <> 'newcomer'`,
      [channel.id],
    );
    const [probe] = await claim(channel);
    await books.answers.apply(probe!, { kind: 'not-found' });
    const waiting = `select id from payout where channel_id = $1 and due_at > now() + make_interval(secs => not_found)`;
    expect(await books.dataSource.query(waiting, [channel.id])).toEqual([]);
  });

  it('does not include a user whose call came too late to be made', async () => {
    const channel = await createChannel();
    await ask(channel, 'held-up');
    const [call] = await claim(channel);
    await books.answers.apply(call!, { kind: 'unknown', reason: 'was held up', isOurs: true });
    const query =
      'select state, setbacks, failures from payout join payout_pace using (channel_id) where channel_id = $1';
    const rows = await books.dataSource.query(query, [channel.id]);
    expect(rows).toEqual([{ state: 'unknown', setbacks: 0, failures: 0 }]);
  });

  it('does not count against the channel if nothing has reached it, which opens the circuit at once', async () => {
    const channel = await createChannel();
    await ask(channel, 'not-reached');
    const [call] = await claim(channel);
    await books.answers.apply(call!, { kind: 'misconfigured', reason: 'ECONNREFUSED', isAway: true });
    const payouts = await books.dataSource.query('select state, setbacks from payout where channel_id = $1', [
      channel.id,
    ]);
    expect([payouts, await isOpen(channel)]).toEqual([[{ state: 'reserved', setbacks: 0 }], true]);
  });
});

it.each<[string, CallResult]>([
  ['that there are too many', { kind: 'full', reason: 'answered 429', stops: 'calls', waitSeconds: 1 }],
  ['that it has no funds', { kind: 'full', reason: 'no-funds', stops: 'payments', waitSeconds: 1 }],
  ['that it does not know us', { kind: 'misconfigured', reason: 'answered 401' }],
  ['nothing, because it is away', { kind: 'misconfigured', reason: 'ECONNREFUSED', isAway: true }],
])(
  'a payment that may have been made stays unknown when the channel answers its repetition %s',
  async (words, verdict) => {
    const channel = await createChannel({ quarantineSeconds: 1 });
    await ask(channel, `repeated ${words}`);
    const next = async (answer: CallResult) => {
      await books.dataSource.query(
        `update payout set due_at = now(), last_sent_at = last_sent_at - interval '1 minute' where channel_id = $1`,
        [channel.id],
      );
      await books.dataSource.query('update payout_pace set open_until = null where channel_id = $1', [
        channel.id,
      ]);
      const [call] = await claim(channel);
      await books.answers.apply(call!, answer);
      return call!.method;
    };
    const methods = [];
    for (const answer of [SERVER_ERROR, { kind: 'not-found' }, { kind: 'not-found' }, verdict, verdict])
      methods.push(await next(answer as CallResult));
    expect(methods).toEqual(['PUT', 'GET', 'GET', 'PUT', 'GET']);
    const query = 'select state, first_sent_at is null as "isNew" from payout where channel_id = $1';
    expect(await books.dataSource.query(query, [channel.id])).toEqual([{ state: 'unknown', isNew: false }]);
  },
);

it('a claim reads few rows, however many payouts are waiting, even if some users are in trouble', async () => {
  const channel = await createChannel();
  await ask(channel, 'has-a-wallet');
  const pace = { keyLifetimeSeconds: 86_400, quarantineSeconds: 120 };
  const reads = await books.undoing(async (tx) => {
    await tx.query(
      `insert into payout (channel_id, user_id, wallet_account_id, amount_minor, state, day, setbacks, due_at)
       select $1, 'waits-' || case when i <= 100 then i % 5 else i end, wallet_account_id, 100,
              case when i % 2 = 0 then 'reserved' else 'unknown' end, now(), case when i <= 5 then 1 else 0 end,
              now() - i * interval '1 second'
         from generate_series(1, 5000) as i cross join (select wallet_account_id from payout where channel_id = $1) as asked`,
      [channel.id],
    );
    await tx.query('analyze payout');
    const counts = [];
    for (const inTrouble of [false, true])
      for (const wasSent of [false, true]) {
        const before = await rowsRead(tx, 'payout');
        const wanted = { wasSent, inTrouble, paysNothing: false, newestFirst: false };
        const due = await books.serviceOf(DueRepository).findDue(tx, channel.id, 16, pace, wanted);
        counts.push([due.length, (await rowsRead(tx, 'payout')) - before]);
      }
    const before = await rowsRead(tx, 'payout');
    await books.serviceOf(PaceRepository).takeTurn(tx, channel.id, 50, 'UTC');
    return [...counts, [0, (await rowsRead(tx, 'payout')) - before]];
  });
  expect(reads.map(([due]) => due)).toEqual([16, 16, 5, 5, 0]);
  for (const [, rows] of reads) expect(rows).toBeLessThan(2_500);
});
