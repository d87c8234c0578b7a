import { type Reservation } from '../../libs/redis-scripts';
import { WindowEnd } from '../../src/core/activity';
import { MissingActivities } from '../../src/core/grab/draw/missing-activities';
import type { PartsWaiting } from '../../src/extensions/waitlist/parts-waiting';
import { WaitlistService } from '../../src/extensions/waitlist/waitlist.service';
import { Metrics } from '../../src/platform/telemetry';
import { codeOf } from '../harness/problems';
import { books, dispensing, rain, shareRain } from '../harness/shared-books';

shareRain();

/** Makes a rain of one packet, which ann has won. */
async function soldOutRain(): Promise<string> {
  const activityId = await rain.openRain({ packets: 1 });
  await rain.grab(activityId, 'ann');
  return activityId;
}

const join = (activityId: string, userId: string) => dispensing.waitingLists.join(activityId, userId);

const users = (reservations: readonly Reservation[]) => reservations.map(({ userId }) => userId);

/** Puts packets back, as after a refused reservation. */
async function free(activityId: string, ...packets: string[]): Promise<void> {
  await dispensing.redis.lpush(dispensing.keys.activity(activityId).packets, ...packets);
}

describe('a waiting list', () => {
  it('keeps the order of joining, and one place for each user', async () => {
    const activityId = await soldOutRain();
    expect(await join(activityId, 'bob')).toEqual({ kind: 'waiting', position: 1, length: 1 });
    expect(await join(activityId, 'cid')).toEqual({ kind: 'waiting', position: 2, length: 2 });
    expect(await join(activityId, 'bob')).toEqual({ kind: 'waiting', position: 1, length: 2 });
    expect(await dispensing.waitingLists.place(activityId, 'cid')).toEqual({ position: 2, length: 2 });
    expect(await dispensing.waitingLists.place(activityId, 'dan')).toBeUndefined();
  });

  it('is for users who have no packet, and only while there is nothing to grab', async () => {
    const open = await books.activity({ packets: 1 });
    expect(await join(open, 'bob')).toEqual({ kind: 'not-loaded' });
    await rain.loader.load(open);
    expect(await join(open, 'bob')).toEqual({ kind: 'not-sold-out' });
    const soldOut = await soldOutRain();
    expect(await join(soldOut, 'ann')).toEqual({ kind: 'already' });
    await rain.end(soldOut);
    expect(await join(soldOut, 'bob')).toEqual({ kind: 'closed' });
    const later = await rain.openRain({ packets: 1, opensInMs: 60_000 });
    expect(await join(later, 'bob')).toEqual({ kind: 'not-open' });
  });

  it('admits only as many users as it may hold, and those on it keep their places', async () => {
    const activityId = await soldOutRain();
    const bounded = (userId: string) => dispensing.waitingLists.join(activityId, userId, 2);
    for (const user of ['bob', 'cid']) await bounded(user);
    expect(await bounded('dan')).toEqual({ kind: 'full' });
    expect(await bounded('cid')).toEqual({ kind: 'waiting', position: 2, length: 2 });
    const missing = new MissingActivities(new Metrics());
    const config = { ...books.config, WAITLIST_LENGTH_MAX: 2 };
    const service = new WaitlistService(
      dispensing.waitingLists,
      books.activities,
      missing,
      new WindowEnd(books.activities, books.dataSource),
      {} as PartsWaiting,
      config,
    );
    expect(await codeOf(service.join(activityId, 'dan'))).toBe('waitlist.full');
  });

  it('comes first when a packet becomes free', async () => {
    const activityId = await soldOutRain();
    await join(activityId, 'bob');
    await free(activityId, '7:100');
    expect(await dispensing.draw(activityId, 'eve')).toEqual([{ kind: 'sold-out' }]);
    expect(await dispensing.draw(activityId, 'eve', 'fay')).toEqual([
      { kind: 'sold-out' },
      { kind: 'sold-out' },
    ]);
    expect(await dispensing.waitingLists.assign(activityId, 10)).toMatchObject([
      { userId: 'bob', packet: { no: 7, amountMinor: 100n }, waitedSince: expect.stringMatching(/^\d{16}$/) },
    ]);
    await free(activityId, '8:100');
    expect(await dispensing.draw(activityId, 'eve')).toMatchObject([{ kind: 'won' }]);
  });

  it('leaves the packets that remain after the waiting users to other users', async () => {
    const activityId = await soldOutRain();
    await join(activityId, 'bob');
    await free(activityId, '7:100', '8:100', '9:100');
    const outcomes = await dispensing.draw(activityId, 'eve', 'fay', 'gus');
    expect(outcomes.map(({ kind }) => kind)).toEqual(['won', 'won', 'sold-out']);
    expect(await dispensing.draw(activityId, 'gus')).toEqual([{ kind: 'sold-out' }]);
    expect(users(await dispensing.waitingLists.assign(activityId, 10))).toEqual(['bob']);
  });

  it('gives each user one packet in order, not more than there are and not more than requested', async () => {
    const activityId = await soldOutRain();
    for (const user of ['bob', 'cid', 'dan', 'eve']) await join(activityId, user);
    await free(activityId, '7:100', '8:100', '9:100');
    expect(users(await dispensing.waitingLists.assign(activityId, 2))).toEqual(['bob', 'cid']);
    expect(users(await dispensing.waitingLists.assign(activityId, 2))).toEqual(['dan']);
    expect(users(await dispensing.waitingLists.assign(activityId, 2))).toEqual([]);
    expect(await dispensing.waitingLists.place(activityId, 'eve')).toEqual({ position: 1, length: 1 });
  });

  it('skips users who have received a packet in the meantime', async () => {
    const activityId = await soldOutRain();
    await join(activityId, 'bob');
    await join(activityId, 'cid');
    await dispensing.redis.hset(dispensing.keys.activity(activityId).claims, 'bob', '5:100');
    await free(activityId, '7:100');
    expect(users(await dispensing.waitingLists.assign(activityId, 10))).toEqual(['cid']);
  });

  it('leaves given packets in the journal, even if the process that gave them died', async () => {
    const activityId = await soldOutRain();
    await join(activityId, 'bob');
    await free(activityId, '7:100');
    const [given] = await dispensing.waitingLists.assign(activityId, 10);
    const shard = dispensing.keys.shardOf(activityId);
    const records = await dispensing.journals.read(shard, '-', '+', 100);
    const reservations = records.flatMap((record) => record.reservations);
    expect(reservations.filter((one) => one.activityId === activityId)).toEqual([given]);
    await rain.journal.sweep(-1_000);
    await rain.confirmations.beforeApplicationShutdown();
    expect((await dispensing.journals.standing(shard)).entries).toBe(0);
  });

  it('keeps the places of users who were given the packet of another user because Redis had forgotten its owner', async () => {
    const activityId = await soldOutRain();
    const ann = (await dispensing.held(activityId)).get('ann')!;
    await dispensing.redis.hdel(dispensing.keys.activity(activityId).claims, 'ann');
    for (const user of ['fay', 'bob', 'cid']) await join(activityId, user);
    await free(activityId, `${ann.no}:${ann.amountMinor}`, '7:100');
    await rain.confirmations.confirmAll(await dispensing.waitingLists.assign(activityId, 10));
    await rain.confirmations.beforeApplicationShutdown();
    expect(await dispensing.held(activityId)).toEqual(new Map([['ann', ann]]));
    const places = ['fay', 'bob', 'cid'].map((user) => dispensing.waitingLists.place(activityId, user));
    expect(await Promise.all(places)).toEqual([1, 2, 3].map((position) => ({ position, length: 3 })));
    await free(activityId, '8:100', '9:100', '10:100');
    expect(await dispensing.draw(activityId, 'eve')).toEqual([{ kind: 'sold-out' }]);
  });

  it('goes on, and comes first, after its last user was given a packet that does not exist', async () => {
    const activityId = await soldOutRain();
    await join(activityId, 'bob');
    await free(activityId, '7:100');
    const given = await dispensing.waitingLists.assign(activityId, 10);
    expect(await dispensing.waitingLists.assign(activityId, 10)).toEqual([]);
    expect(await dispensing.draw(activityId, 'eve')).toEqual([{ kind: 'sold-out' }]);
    await rain.confirmations.confirmAll(given);
    await rain.confirmations.beforeApplicationShutdown();
    const shard = dispensing.keys.shardOf(activityId);
    expect(await dispensing.waitingLists.activities(shard)).toContain(activityId);
    await free(activityId, '8:100');
    expect(await dispensing.draw(activityId, 'eve')).toEqual([{ kind: 'sold-out' }]);
    expect(users(await dispensing.waitingLists.assign(activityId, 10))).toEqual(['bob']);
  });

  it('ends with the rain', async () => {
    const activityId = await soldOutRain();
    await join(activityId, 'bob');
    await rain.end(activityId);
    expect(await dispensing.waitingLists.assign(activityId, 10)).toEqual([]);
    expect(await dispensing.waitingLists.place(activityId, 'bob')).toBeUndefined();
    const shard = dispensing.keys.shardOf(activityId);
    expect(await dispensing.waitingLists.activities(shard)).not.toContain(activityId);
  });

  it('survives a reload of its activity', async () => {
    const activityId = await soldOutRain();
    await join(activityId, 'bob');
    await rain.rebuilder.rebuild(rain.dispensing.keys.placeOf(activityId));
    await free(activityId, '7:100');
    expect(await dispensing.draw(activityId, 'eve')).toEqual([{ kind: 'sold-out' }]);
    expect(users(await dispensing.waitingLists.assign(activityId, 10))).toEqual(['bob']);
  });
});
