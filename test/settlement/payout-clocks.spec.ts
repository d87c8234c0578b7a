import { OPERATOR, requestOf } from '../harness/books';
import { age, ask, claim, createChannel } from '../harness/channel-calls';
import { codeOf } from '../harness/problems';
import { books, proveBooks, shareCallingBooks } from '../harness/shared-books';

// A test may have left a finding open on purpose.
proveBooks({ except: ['I18'] });
shareCallingBooks();

describe('a channel that is called, after the clock of Postgres was ahead,', () => {
  it('finds the payments of each of its days, whatever the clock showed, and keeps only eight other days', async () => {
    const channel = await createChannel({ perDay: '1.00' });
    const users = Array.from({ length: 16 }, (_, i) => `walk-${i}`);
    for (const user of users) await ask(channel, user);
    // Verify compares the sum of a day with the moments of its payments, unless staff have changed the channel.
    await books.channels.change(OPERATOR, channel.id, { name: 'Moving shop' });
    /** A zone that is whole days ahead of UTC moves the day as a clock would. */
    const paidOn = async (days: number) => {
      const timeZone = `X${-24 * days}`;
      return (await claim({ ...channel, profile: { ...channel.profile, timeZone } })).length;
    };
    const walk = [0, 2, 0, 2, 3, 0];
    const paid = [];
    for (const day of walk) paid.push(await paidOn(day));
    expect(paid).toEqual([1, 1, 0, 0, 1, 0]);
    for (let day = -6; day <= 6; day += 2) await paidOn(day);
    for (let day = -5; day <= 5; day += 2) await paidOn(day);
    const [pace] = await books.dataSource.query<{ kept: number }[]>(
      `select count(*)::int as kept from payout_pace, jsonb_object_keys(days) where channel_id = $1 group by channel_id`,
      [channel.id],
    );
    expect([pace!.kept, await paidOn(0)]).toEqual([8, 0]);
  });

  it('does not pay perDay twice on a day that a clock was a whole day ahead of, even if it paid nothing in the meantime', async () => {
    const channel = await createChannel({ perDay: '1.00' });
    await ask(channel, 'before-the-step');
    expect(await claim(channel)).toHaveLength(1);
    await claim({ ...channel, profile: { ...channel.profile, timeZone: 'X-24' } });
    await ask(channel, 'after-the-step');
    expect(await claim(channel)).toEqual([]);
  });

  it('counts its payments on a day that began too early towards both that day and today', async () => {
    const channel = await createChannel({ perDay: '3.00' });
    await claim({ ...channel, profile: { ...channel.profile, timeZone: 'X-24' } });
    for (const user of ['early-1', 'early-2']) await ask(channel, user);
    expect(await claim(channel)).toHaveLength(2);
    await claim({ ...channel, profile: { ...channel.profile, timeZone: 'X-72' } });
    for (const user of ['late-1', 'late-2']) await ask(channel, user);
    expect(await claim(channel)).toHaveLength(1);
  });

  it('is called for payouts that a fast clock has made due, leased or dated days from now', async () => {
    const channel = await createChannel();
    for (const user of ['put-off', 'leased', 'dated']) await ask(channel, user);
    const ahead = (columns: string, user: string) =>
      books.dataSource.query(`update payout set ${columns} where channel_id = $1 and user_id = $2`, [
        ...[channel.id, user],
      ]);
    await ahead(`due_at = now() + interval '2 hours'`, 'put-off');
    await ahead(`leased_until = now() + interval '3 days'`, 'leased');
    await ahead(`created_at = now() + interval '3 days'`, 'dated');
    const called = (await claim(channel)).map(({ userId }) => userId);
    expect(called.sort()).toEqual(['dated', 'leased', 'put-off']);
  });

  it('still waits as long as a payout, a lease or its circuit validly says', async () => {
    const channel = await createChannel();
    await ask(channel, 'waits');
    const set = (table: string, column: string, seconds: number) =>
      books.dataSource.query(
        `update ${table} set ${column} = now() + make_interval(secs => $2) where channel_id = $1`,
        [channel.id, seconds],
      );
    for (const [table, column, seconds] of [
      ['payout', 'due_at', 890],
      ['payout', 'leased_until', 60],
      ['payout_pace', 'open_until', 890],
      ['payout_pace', 'held_until', 86_390],
    ] as const) {
      await set(table, column, seconds);
      expect([column, await claim(channel)]).toEqual([column, []]);
      await set(table, column, -1);
    }
    expect(await claim(channel)).toHaveLength(1);
  });

  it('is not kept waiting by a circuit or a hold that ends later than one can', async () => {
    const channel = await createChannel();
    await ask(channel, 'behind-a-circuit');
    await books.dataSource.query(
      `update payout_pace set held_until = now() + interval '2 days', payments_held_until = now() + interval '2 days',
              open_until = now() + interval '1 hour' where channel_id = $1`,
      [channel.id],
    );
    expect(await claim(channel)).toMatchObject([{ method: 'GET', isProbe: true }]);
  });

  it('waits as long as it has asked to, and no longer, even if the clock steps back in the meantime', async () => {
    const channel = await createChannel();
    await ask(channel, 'after-a-step');
    // The last turn was taken, and the hold set, by a clock that was two hours ahead.
    await books.dataSource.query(
      `update payout_pace set filled_at = now() + interval '2 hours', held_until = now() + interval '2 hours 30 seconds'
        where channel_id = $1`,
      [channel.id],
    );
    await books.calls.take(channel);
    const [pace] = await books.dataSource.query<{ seconds: number }[]>(
      `select extract(epoch from held_until - now())::int as seconds from payout_pace where channel_id = $1`,
      [channel.id],
    );
    expect(pace!.seconds).toBeGreaterThan(20);
    expect(pace!.seconds).toBeLessThanOrEqual(30);
  });

  it('is asked about a payment sent by a clock from the future, after growing waits, and never pays it again', async () => {
    const channel = await createChannel({ quarantineSeconds: 1 });
    await ask(channel, 'sent-tomorrow');
    const [first] = await claim(channel);
    await books.answers.apply(first!, { kind: 'unknown', reason: 'cut' });
    await books.dataSource.query(
      `update payout set due_at = now(), first_sent_at = now() + interval '1 day', last_sent_at = now() + interval '1 day'
        where id = $1`,
      [first!.id],
    );
    const methods = [];
    for (let i = 0; i < 4; i++) {
      const [call] = await claim(channel);
      methods.push(call!.method);
      await books.answers.apply(call!, { kind: 'not-found' });
      await age(channel);
    }
    expect(methods).toEqual(['GET', 'GET', 'GET', 'GET']);
    const [row] = await books.dataSource.query<{ sane: boolean }[]>(
      `select last_sent_at <= now() and first_sent_at = '-infinity' as sane from payout where id = $1`,
      [first!.id],
    );
    expect(row).toEqual({ sane: true });
  });

  it.each([
    ['two hours ahead', { kind: 'unknown', reason: 'cut' }, `interval '2 hours'`],
    ['two hours ahead', { kind: 'outcome', outcome: 'processing' }, `interval '2 hours'`],
    ['two days behind', { kind: 'unknown', reason: 'cut' }, `interval '-2 days'`],
    ['two days behind', { kind: 'outcome', outcome: 'processing' }, `interval '-2 days'`],
  ] as const)(
    'is asked again within a minute after a first call by a clock that was %s: %o',
    async (_, answer, off) => {
      const channel = await createChannel();
      await ask(channel, 'called-by-a-wrong-clock');
      const [call] = await claim(channel);
      await books.dataSource.query(
        `update payout set first_sent_at = now() + ${off}, last_sent_at = now() + ${off} where id = $1`,
        [call!.id],
      );
      await books.answers.apply(call!, answer);
      const due = await books.dataSource.query<{ isSoon: boolean }[]>(
        `select due_at < now() + interval '1 minute' as "isSoon" from payout where id = $1`,
        [call!.id],
      );
      expect(due).toEqual([{ isSoon: true }]);
    },
  );

  it('is asked about everything at once after staff resume it, however long each payout would wait', async () => {
    const channel = await createChannel();
    await ask(channel, 'waits-ten-minutes');
    await books.dataSource.query(
      `update payout set due_at = now() + interval '10 minutes' where channel_id = $1`,
      [channel.id],
    );
    expect(await claim(channel)).toEqual([]);
    await books.setPaused(channel.id, false);
    expect(await claim(channel)).toHaveLength(1);
  });

  it('is not called for a retry while it is held, and the answer says why', async () => {
    const channel = await createChannel();
    const id = await ask(channel, 'retried');
    const retry = () => codeOf(books.payouts.retry(requestOf('finance'), id));
    const holds = async (column: string) => {
      await books.dataSource.query(
        `update payout_pace set ${column} = now() + interval '5 minutes' where channel_id = $1`,
        [channel.id],
      );
      const code = await retry();
      await books.setPaused(channel.id, false);
      return code;
    };
    const held = 'payout_channel.held';
    const codes = [];
    for (const column of ['held_until', 'open_until', 'payments_held_until']) codes.push(await holds(column));
    await books.setPaused(channel.id, true);
    codes.push(await retry());
    await books.setPaused(channel.id, false);
    expect([...codes, await retry()]).toEqual([held, held, held, held, 'done']);
  });

  it('holds a user whom it has refused three times for at most ten minutes, whatever the clock said then', async () => {
    const channel = await createChannel();
    for (let i = 0; i < 3; i++) {
      await ask(channel, 'refused-tomorrow');
      const [call] = await claim(channel);
      await books.answers.apply(call!, { kind: 'outcome', outcome: 'refused', code: 'limit-user' });
    }
    await books.dataSource.query(`alter table payout disable trigger end_is_final`);
    await books.dataSource.query(
      `update payout set ended_at = now() + interval '1 day' where channel_id = $1`,
      [channel.id],
    );
    await books.dataSource.query(`alter table payout enable trigger end_is_final`);
    await ask(channel, 'refused-tomorrow');
    expect(await claim(channel)).toHaveLength(1);
  });
});
