import { numbersOf } from '../harness/dispensing';
import { books, dispensing, rain, shareRain } from '../harness/shared-books';

shareRain();

beforeEach(() => dispensing.distrust());

const openRain = () => rain.openRain({ packets: 2 });

describe('a Redis that has forgotten its last moments', () => {
  it('is trusted only once second packets of forgotten winners are decided', async () => {
    const activityId = await openRain();
    await rain.grab(activityId, 'ann');
    const first = (await dispensing.held(activityId)).get('ann')!;
    await dispensing.redis.hdel(dispensing.keys.activity(activityId).claims, 'ann');
    const [second] = await dispensing.draw(activityId, 'ann');
    expect(second).toMatchObject({ kind: 'won' });

    await rain.remind();
    expect(await dispensing.held(activityId)).toEqual(new Map([['ann', first]]));
    expect(numbersOf(await dispensing.listed(activityId))).toHaveLength(1);
  });

  it('receives all activities that can be written, and is not trusted before it has received the last of them', async () => {
    const [bad, good] = [await openRain(), await openRain()];
    await rain.grab(bad, 'ann');
    await rain.grab(good, 'ann');
    const { keys } = dispensing;
    for (const id of [bad, good]) await dispensing.redis.hdel(keys.activity(id).claims, 'ann');
    const acknowledge = dispensing.reservations.acknowledge.bind(dispensing.reservations);
    const failing = jest
      .spyOn(dispensing.reservations, 'acknowledge')
      .mockImplementation(async (shard, claims, entryIds) => {
        if (claims.some(({ activityId }) => activityId === bad)) throw new Error('It cannot be written.');
        await acknowledge(shard, claims, entryIds);
      });

    await rain.sweep();
    expect([...(await dispensing.held(good)).keys()]).toEqual(['ann']);
    expect(await dispensing.shardTrust.isTrusted()).toBe(false);

    failing.mockRestore();
    await rain.sweep();
    expect([...(await dispensing.held(bad)).keys()]).toEqual(['ann']);
    expect(await dispensing.shardTrust.isTrusted()).toBe(true);
  });
});

describe('the claims of ended activities, after a restart of Redis,', () => {
  const inRedis = (activityId: string) => dispensing.redis.keys(`rp:*:${activityId}:*`);

  it('are written to Redis for several activities at a time, not one by one', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 8; i++) ids.push(await openRain());
    for (const id of ids) await rain.end(id);
    const reminder = rain.reminder['activities'];
    const remind = reminder.remind.bind(reminder);
    let [underWay, most] = [0, 0];
    const spy = jest.spyOn(reminder, 'remind').mockImplementation(async (id) => {
      most = Math.max(most, ++underWay);
      await remind(id).finally(() => (underWay -= 1));
    });
    await rain.remind();
    spy.mockRestore();
    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThanOrEqual(4);
  });

  it('are written to Redis even if another process is tidying up one of the activities', async () => {
    const [bad, good] = [await openRain(), await openRain()];
    for (const id of [bad, good]) {
      await rain.grab(id, 'ann');
      await rain.end(id);
    }
    const release = await books.holdTidying(bad);
    await dispensing.redis.hdel(dispensing.keys.activity(good).claims, 'ann');
    await rain.reminder.step();
    expect([...(await dispensing.held(good)).keys()]).toEqual(['ann']);
    expect(await dispensing.shardTrust.isTrusted()).toBe(false);
    await release();
    await rain.remind();
  });

  it('stay out of Redis if it holds nothing of the activity: Postgres answers', async () => {
    const [lost, held] = [await openRain(), await openRain()];
    for (const id of [lost, held]) {
      await rain.grab(id, 'ann');
      await rain.end(id);
    }
    await dispensing.redis.del(await inRedis(lost));
    await dispensing.redis.hdel(dispensing.keys.activity(held).claims, 'ann');
    await rain.remind();
    expect(await inRedis(lost)).toEqual([]);
    expect([...(await dispensing.held(held)).keys()]).toEqual(['ann']);
    expect(await dispensing.draw(lost, 'ann')).toEqual([{ kind: 'not-loaded' }]);
  });
});

describe('a key in Redis that was written by hand', () => {
  it.each(['9223372036854775808', '9999999999999999999'])(
    'with an id that no activity can have (%s) does not prevent a restarted Redis from being trusted',
    async (id) => {
      const key = `rp:{00}:${id}:state`;
      await dispensing.redis.hset(key, 'status', 'open');
      await rain.remind();
      await dispensing.redis.del(key);
    },
  );
});

describe('an activity that opens just after a sweep has missed it', () => {
  it('is not removed from Redis again', async () => {
    const activityId = await books.activity({ packets: 2 });
    const { redis } = dispensing;
    const { state } = dispensing.keys.activity(activityId);
    const look = dispensing.standings.readStanding.bind(dispensing.standings);
    const looking = jest.spyOn(dispensing.standings, 'readStanding').mockImplementation(async (place) => {
      const standing = await look(place);
      if (place.id !== activityId) return standing;
      looking.mockRestore();
      await rain.loader.load(activityId);
      await redis.hset(state, 'still', 'the same');
      return standing;
    });

    await rain.sweep();
    expect(await redis.hget(state, 'still')).toBe('the same');
    expect(await look(dispensing.keys.placeOf(activityId))).toMatchObject({ status: 'open', packetsLeft: 2 });
  });
});

describe('an activity whose rebuild was cut off after its first step', () => {
  it('is reloaded without losing what had been drawn', async () => {
    const activityId = await openRain();
    const [drawn] = await dispensing.draw(activityId, 'ann');
    if (drawn?.kind !== 'won') throw new Error(`Ann drew ${drawn?.kind}`);
    await dispensing.contents.forget(dispensing.keys.placeOf(activityId));

    await rain.sweep();
    expect(await dispensing.held(activityId)).toEqual(
      new Map([['ann', { ...drawn.packet, confirmed: true }]]),
    );
    expect(numbersOf(await dispensing.listed(activityId))).not.toContain(drawn.packet.no);
  });
});
