import { waitFor } from '../harness/engines';
import { books, dispensing, proveBooks, rain, shareRain } from '../harness/shared-books';

proveBooks();
shareRain();

/** Makes a rain of two packets, one of which ann has won. */
async function rainWithWinner(wish: { opensInMs?: number } = {}): Promise<string> {
  const activityId = await rain.openRain({ packets: 2, ...wish });
  if (wish.opensInMs === undefined) await rain.grab(activityId, 'ann');
  return activityId;
}

const find = async (id: string) => (await books.activities.findActivity(id))!;

describe('an activity whose closer died', () => {
  it.each([
    ['after it had written its intention', (id: string) => books.closings.intend(id, 'any-time')],
    ['after Redis had refused', async (id: string) => rain.closing.refuseGrabs(await find(id), 'any-time')],
  ])('%s is never opened again in a Redis that forgot it, and ends', async (_, die) => {
    const activityId = await rainWithWinner();
    await die(activityId);
    await dispensing.redis.flushall();

    await rain.reminder.step();
    await rain.loader.load(activityId);
    await rain.loader.extend(activityId);
    await rain.sweeper.mendAll();
    expect(await dispensing.draw(activityId, 'ann', 'bob')).toEqual([
      { kind: 'not-loaded' },
      { kind: 'not-loaded' },
    ]);

    await rain.sweep();
    expect(await find(activityId)).toMatchObject({ status: 'closed', ending: 'closed' });
    expect(await dispensing.draw(activityId, 'ann', 'bob')).toMatchObject([
      { kind: 'already' },
      { kind: 'closed' },
    ]);
  });

  it('before the opening is cancelled even if the opening has passed and Redis forgot it', async () => {
    const activityId = await rainWithWinner({ opensInMs: 600_000 });
    expect(await rain.closing.refuseGrabs(await find(activityId), 'before-opening')).toBe('cancelled');
    await dispensing.redis.flushall();
    await books.dataSource.query(`update activity set opens_at = now() - interval '1 minute' where id = $1`, [
      activityId,
    ]);
    await rain.sweep();
    expect(await find(activityId)).toMatchObject({ status: 'cancelled' });
  });

  it('before the opening is closed, not cancelled, if a win comes to light', async () => {
    const activityId = await rainWithWinner({ opensInMs: 600_000 });
    await rain.closing.refuseGrabs(await find(activityId), 'before-opening');
    await books.claim(activityId, ['ann']);
    expect(await rain.end(activityId, 'before-opening')).toBe(true);
    expect(await find(activityId)).toMatchObject({ status: 'closed' });
  });

  it('before the opening continues if Redis had not received the close and has since opened it', async () => {
    const activityId = await rainWithWinner({ opensInMs: 600_000 });
    await books.closings.intend(activityId, 'before-opening');
    const past = Date.now() - 60_000;
    await dispensing.redis.hset(dispensing.keys.activity(activityId).state, 'opensAt', past);
    await books.dataSource.query(`update activity set opens_at = now() - interval '1 minute' where id = $1`, [
      activityId,
    ]);
    await rain.sweep();
    expect(await find(activityId)).toMatchObject({ status: 'active', ending: null });
    expect(await rain.grab(activityId, 'bob')).toMatchObject([{ kind: 'confirmed' }]);
  });
});

describe('an activity whose end has been decided', () => {
  it('is still ended if another decision that was made before is withdrawn late', async () => {
    const activityId = await rainWithWinner();
    const first = (await books.closings.intend(activityId, 'any-time'))!;
    await books.closings.withdraw(activityId, first);
    await books.closings.intend(activityId, 'any-time');
    await books.closings.withdraw(activityId, first);
    expect(await find(activityId)).toMatchObject({ ending: 'closed' });
    await rain.sweep();
  });

  it('ends in the way that was decided first', async () => {
    const activityId = await rainWithWinner({ opensInMs: 600_000 });
    await books.closings.intend(activityId, 'before-opening');
    await Promise.all([rain.end(activityId, 'any-time'), rain.end(activityId, 'before-opening')]);
    expect(await find(activityId)).toMatchObject({ status: 'cancelled', ending: 'cancelled' });
  });

  it('refuses every top-up, even one that was already waiting for its row', async () => {
    const activityId = await rainWithWinner();
    const commit = await books.hold((tx) =>
      tx.query(`update activity set ending = 'closed', ending_at = now() where id = $1`, [activityId]),
    );
    const waiting = books.topUp(activityId, { packets: 1 });
    await waitFor(async () => (await books.blocked()).length === 1, { what: 'the top-up to wait' });
    await commit();
    await expect(waiting).rejects.toMatchObject({ code: 'activity.ended' });
    await expect(books.topUp(activityId, { packets: 1 })).rejects.toMatchObject({ code: 'activity.ended' });
  });

  it('is not opened by a loader that read it before the decision', async () => {
    const activityId = await books.activity({ packets: 2 });
    const begin = dispensing.loading.begin.bind(dispensing.loading);
    const beginning = jest.spyOn(dispensing.loading, 'begin').mockImplementationOnce(async (...args) => {
      await rain.closing.refuseGrabs(await find(activityId), 'any-time');
      await dispensing.redis.flushall();
      return begin(...args);
    });
    await rain.loader.load(activityId);
    beginning.mockRestore();
    expect(await dispensing.draw(activityId, 'bob')).toEqual([{ kind: 'not-loaded' }]);
    await rain.sweep();
    expect(await find(activityId)).toMatchObject({ status: 'closed' });
  });
});

it('an activity with a winner whom Redis has forgotten is not cancelled before its opening', async () => {
  const activityId = await rainWithWinner({ opensInMs: 600_000 });
  await books.claim(activityId, ['ann']);
  expect(await rain.end(activityId, 'before-opening')).toBe(false);
  expect(await find(activityId)).toMatchObject({ status: 'active', ending: null });
});

describe('due rains', () => {
  const MINUTE_MS = 60_000;

  /** Opens rains of three packets and 300 cents; the winners of each hold one packet. */
  async function dueRains(winners: readonly (readonly string[])[], sponsorId?: string): Promise<string[]> {
    const ids: string[] = [];
    for (const users of winners) {
      const id = await rain.openRain({ packets: 3, totalMinor: 300n, sponsorId });
      if (users.length > 0) await rain.grab(id, ...users);
      ids.push(id);
    }
    return ids;
  }

  async function endNow(ids: readonly string[]): Promise<void> {
    await books.dataSource.query(
      `update activity set opens_at = now() - interval '2 hours', closes_at = now() - interval '1 hour' where id = any($1)`,
      [ids],
    );
    for (const id of ids)
      await dispensing.redis.hset(dispensing.keys.activity(id).state, 'closesAt', Date.now() - MINUTE_MS);
  }

  const refunds = (ids: readonly string[]) =>
    books.dataSource.query<{ id: string; amount: string; owed: string; status: string }[]>(
      `select activity.id, transfer.amount_minor as amount, activity.status,
              (select sum(amount_minor) from packet where activity_id = activity.id and not exists (
                 select from claim where claim.activity_id = activity.id and claim.packet_no = packet.no)) as owed
         from activity left join transfer on transfer.kind = 'refund' and transfer.activity_id = activity.id
        where activity.id = any($1) order by activity.id`,
      [ids],
    );

  it('are refunded together, each once and to the cent, by two closers at once', async () => {
    const winners = [[], ['ann'], ['ann', 'bob'], ['ann', 'bob', 'cem'], [], ['dee']];
    const ids = await dueRains(winners);
    await endNow(ids);
    const together = jest.spyOn(rain.closing, 'refundTogether');
    await Promise.all([rain.dueClosing.closeDue(), rain.dueClosing.closeDue()]);
    expect(together).toHaveBeenCalled();
    await rain.dueClosing.closeDue();
    together.mockRestore();
    const rows = await refunds(ids);
    expect(rows).toHaveLength(ids.length);
    expect(rows.map(({ amount }) => amount)).toEqual(rows.map(({ owed }) => owed));
    expect(rows.map(({ status }) => status)).toEqual(ids.map(() => 'closed'));
    for (const id of ids) expect(await dispensing.redis.exists(dispensing.keys.activity(id).packets)).toBe(0);
  });

  it('of one sponsor are refunded together into one wallet', async () => {
    const ids = await dueRains([[], ['ann'], []], 'host-of-many');
    await endNow(ids);
    const before = await books.balance('host-of-many');
    await rain.dueClosing.closeDue();
    const owed = (await refunds(ids)).reduce((sum, { amount }) => sum + BigInt(amount), 0n);
    expect(owed).toBeGreaterThan(600n);
    expect((await books.balance('host-of-many')) - before).toBe(owed);
  });

  it('are refunded without the packets that users had drawn and that were not confirmed', async () => {
    const [first, second] = await dueRains([[], []]);
    const drawn = await dispensing.draw(first!, 'ann');
    expect(drawn).toMatchObject([{ kind: 'won' }]);
    await endNow([first!, second!]);
    await rain.dueClosing.closeDue();
    expect(await books.dataSource.query(`select user_id from claim where activity_id = $1`, [first])).toEqual(
      [{ user_id: 'ann' }],
    );
    const rows = await refunds([first!, second!]);
    expect(rows.map(({ amount }) => amount)).toEqual(rows.map(({ owed }) => owed));
  });

  it('are refunded without a rain whose winners cannot be confirmed yet, which follows later', async () => {
    const ids = await dueRains([[], []]);
    expect(await dispensing.draw(ids[0]!, 'ann')).toMatchObject([{ kind: 'won' }]);
    await endNow(ids);
    await books.dataSource.query(`
      create function refuse_claim() returns trigger language plpgsql as $$ begin raise exception 'not now'; end $$;
      create trigger refuse_claim before insert on claim for each row when (new.activity_id = ${ids[0]!})
        execute function refuse_claim()`);
    expect(await rain.closing.refundTogether(await Promise.all(ids.map(find)))).toEqual([ids[1]]);
    await books.dataSource.query('drop function refuse_claim cascade');
    await rain.dueClosing.closeDue();
    const rows = await refunds(ids);
    expect(rows.map(({ amount }) => amount)).toEqual(rows.map(({ owed }) => owed));
    expect(await books.wonPackets.findClaim(ids[0]!, 'ann')).toMatchObject({ userId: 'ann' });
  });

  it.each(['key share', 'no key update', 'update'])(
    'are refunded without a rain that another transaction has locked for %s, which follows later',
    async (lock) => {
      const ids = await dueRains([[], [], []]);
      await endNow(ids);
      const commit = await books.hold((tx) =>
        tx.query(`select from activity where id = $1 for ${lock}`, [ids[1]]),
      );
      const activities = await Promise.all(ids.map(find));
      expect(await rain.closing.refundTogether(activities)).toEqual([ids[0], ids[2]]);
      await commit();
      await rain.dueClosing.closeDue();
      expect((await refunds(ids)).map(({ status }) => status)).toEqual(['closed', 'closed', 'closed']);
    },
  );

  it('of other shards are refunded together while one sponsor’s wallet is locked', async () => {
    const [first, other, third] = [
      await dueRains([[]], 'locked-host'),
      await dueRains([[]]),
      await dueRains([[]]),
    ];
    const ids = [...first, ...other, ...third];
    await endNow(ids);
    const commit = await books.hold((tx) =>
      tx.query(`select from account where owner_id = 'locked-host' and kind = 'wallet' for update`),
    );
    const alone = jest.spyOn(rain.closing, 'close').mockResolvedValue(false);
    await rain.dueClosing.closeDue();
    expect(alone.mock.calls.map(([{ id }]) => id)).toEqual(first);
    alone.mockRestore();
    expect((await refunds(ids)).map(({ status }) => status)).toEqual(['active', 'closed', 'closed']);
    await commit();
    await rain.dueClosing.closeDue();
    const rows = await refunds(ids);
    expect(rows.map(({ amount }) => amount)).toEqual(rows.map(({ owed }) => owed));
  });

  it('are closed one by one if they cannot be closed together', async () => {
    const ids = await dueRains([[], ['ann'], []]);
    await endNow(ids);
    const together = jest
      .spyOn(rain.closing, 'refundTogether')
      .mockRejectedValue(new Error('one is in trouble'));
    await rain.dueClosing.closeDue();
    together.mockRestore();
    const rows = await refunds(ids);
    expect(rows.map(({ amount }) => amount)).toEqual(rows.map(({ owed }) => owed));
  });

  it('that a closer had cancelled before it died are cancelled, while others, and those with a winner, are closed', async () => {
    const cancelled = await rain.openRain({ packets: 3, totalMinor: 300n, opensInMs: 600_000 });
    const won = await rain.openRain({ packets: 3, totalMinor: 300n, opensInMs: 600_000 });
    for (const id of [cancelled, won]) await rain.closing.refuseGrabs(await find(id), 'before-opening');
    await books.claim(won, ['bob']);
    const others = await dueRains([['ann'], []]);
    await endNow(others);
    await rain.dueClosing.closeDue();
    const ids = [cancelled, won, ...others];
    const rows = await refunds(ids);
    expect(rows.map(({ status }) => status)).toEqual(['cancelled', 'closed', 'closed', 'closed']);
    expect(rows.map(({ amount }) => amount)).toEqual(rows.map(({ owed }) => owed));
  });

  it('do not keep other rains waiting if they cannot be closed, however many there are', async () => {
    const { dataSource } = books;
    const create = () => books.activity({ packets: 1 });
    const ids: string[] = [];
    while (ids.length < 140) ids.push(...(await Promise.all(Array.from({ length: 10 }, create))));
    const last = await create();
    const isOver = `update activity set opens_at = now() - interval '3 hours', closes_at = now() - interval '2 hours'`;
    await dataSource.query(`${isOver} where id = any($1)`, [ids]);
    await dataSource.query(`update activity set closes_at = now() - interval '1 minute' where id = $1`, [
      last,
    ]);
    const allow = await books.refuseUpdates(`old.id <> ${last}`);

    await rain.dueClosing.closeDue();
    await rain.dueClosing.closeDue();
    const active = await books.closings.toEnd('0', 1_000);
    expect(active.length).toBeGreaterThan(100);
    expect(active).not.toContain(last);
    await allow();
  });
});
