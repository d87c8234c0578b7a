import { waitFor } from '../harness/engines';
import { books, dispensing, rain, shareRain } from '../harness/shared-books';

shareRain();

afterEach(async () => {
  // Nothing settles here, so claims wait too long (I11) on a slow machine.
  expect((await books.broken()).filter((id) => id !== 'I11')).toEqual([]);
});

/** Makes a rain of two packets, one of which ann has won. */
async function rainWithWinner(wish: { opensInMs?: number } = {}): Promise<string> {
  const activityId = await books.activity({ packets: 2, ...wish });
  await rain.loader.load(activityId);
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

describe('an activity that was decided to end', () => {
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

describe('due rains', () => {
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
