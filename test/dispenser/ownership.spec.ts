import { ForeignRedis, OwnRedis, type RedisClient, type Window } from '../../libs/redis-scripts';
import { DispenserParts } from '../harness/dispenser-parts';
import { numbersOf, packetsUpTo, pageOf } from '../harness/dispensing';
import { onOneServer } from '../harness/on-one-server';
import { type RedisPlace, startRedisPlace } from '../harness/redis-place';

const SHARDS = 2;
const ACTIVITY = '8';
const MARK = { history: 'a-history', flushed: '0000000000000001' };

let place: RedisPlace;
let redis: RedisClient;
let ours: DispenserParts;
let theirs: DispenserParts;
let window: Window;

const partsOf = (installation: string): DispenserParts => {
  const own = new OwnRedis(redis, SHARDS);
  own.identify(installation);
  return new DispenserParts(own);
};

async function openRain(parts: DispenserParts, birth = 'first'): Promise<void> {
  const { packetCursor } = await parts.loading.begin(parts.keys.placeOf(ACTIVITY), { ...window, birth });
  await parts.loading.loadPackets(parts.keys.placeOf(ACTIVITY), packetCursor, pageOf(packetsUpTo(2)));
  expect(await parts.loading.open(parts.keys.placeOf(ACTIVITY), 2)).toBe('open');
}

const draw = async (parts: DispenserParts, userId: string) =>
  (await parts.reservations.draw(0, [{ activityId: ACTIVITY, userIds: [userId] }]))[0]!;

beforeAll(async () => {
  place = await startRedisPlace();
  redis = place.connect();
});

beforeEach(async () => {
  await redis.flushall();
  ours = partsOf('ours');
  theirs = partsOf('theirs');
  const now = await ours.nowMs();
  window = { opensAtMs: now - 3_600_000, closesAtMs: now + 3_600_000 };
});

afterAll(async () => {
  redis.disconnect();
  await place.stop();
});

describe('a Redis without an owner', () => {
  it('is acquired by exactly one of two installations that ask at once', async () => {
    const attempts = await Promise.allSettled([ours.own.acquire(), theirs.own.acquire()]);
    expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const isOurs = attempts[0].status === 'fulfilled';
    expect([await ours.own.belongsToOthers(), await theirs.own.belongsToOthers()]).toEqual([!isOurs, isOurs]);
    expect([ours.own.isForeign, theirs.own.isForeign]).toEqual([!isOurs, isOurs]);
  });

  it('is not trusted once it is acquired, even if it has a note that it received everything', async () => {
    const { serverId } = await ours.shardTrust.notesOf(1);
    await ours.shardTrust.grant(1, serverId, MARK);
    expect(await ours.shardTrust.notesOf(1)).toMatchObject({ isTrusted: true, mark: MARK });
    await ours.own.acquire();
    expect(await ours.shardTrust.notesOf(1)).toMatchObject({ isTrusted: false, mark: undefined });
  });

  onOneServer.it('is asked once for the notes of all its shards', async () => {
    await redis.config('RESETSTAT');
    expect(await ours.shardTrust.notes()).toHaveLength(ours.keys.shards.length);
    expect(await redis.info('commandstats')).toContain('cmdstat_info:calls=1,');
  });

  onOneServer.describe('that has the note of an older version that it received everything', () => {
    let serverId: string;

    beforeEach(async () => {
      ({ serverId } = await ours.shardTrust.notesOf(0));
      await redis.set('rp:{00}:trusted-server', serverId);
      await redis.hset('rp:{00}:history', { id: MARK.history, flushed: MARK.flushed });
    });

    it('keeps that note for each shard without a note of its own, and for programs of that version', async () => {
      const before = { history: MARK.history, flushed: '0000000000000000' };
      await ours.shardTrust.grant(1, 'another server', before);
      await ours.shardTrust.adoptFormer();
      expect(await ours.shardTrust.notesOf(0)).toMatchObject({ isTrusted: true, mark: MARK });
      expect(await ours.shardTrust.notesOf(1)).toMatchObject({ isTrusted: false, mark: before });
      expect(await redis.get('rp:{00}:trusted-server')).toBe(serverId);
    });

    it('is not trusted once it is acquired', async () => {
      await ours.own.acquire();
      await ours.shardTrust.adoptFormer();
      expect(await ours.shardTrust.notesOf(1)).toMatchObject({ isTrusted: false, mark: undefined });
    });
  });

  it('is acquired by the first script that runs on it', async () => {
    await openRain(ours);
    expect(await theirs.own.belongsToOthers()).toBe(true);
    expect(await draw(ours, 'ann')).toMatchObject({ kind: 'won' });
  });
});

describe('a Redis that another installation has acquired', () => {
  beforeEach(async () => {
    await theirs.own.acquire();
    await openRain(theirs);
    expect(await draw(theirs, 'ann')).toMatchObject({ kind: 'won' });
  });

  it('does not give packets to other installations, even while the gate is open', async () => {
    expect(await draw(ours, 'bob')).toEqual({ kind: 'not-loaded' });
    expect(await draw(ours, 'ann')).toEqual({ kind: 'not-loaded' });
    await redis.del(ours.keys.activity(ACTIVITY).gate);
    expect(await draw(ours, 'bob')).toEqual({ kind: 'not-loaded' });
    expect(await theirs.standings.readStanding(theirs.keys.placeOf(ACTIVITY))).toMatchObject({
      status: 'open',
      packetsLeft: 1,
      held: 1,
    });
  });

  it('is not changed by other installations in any way', async () => {
    const packet = { no: 1, amountMinor: 100n };
    const claim = { activityId: ACTIVITY, userId: 'bob', packet };
    const before = await redis.hgetall(ours.keys.activity(ACTIVITY).state);
    const attempts: Record<string, () => Promise<unknown>> = {
      load: () => ours.loading.begin(ours.keys.placeOf(ACTIVITY), { ...window, birth: 'first' }),
      close: () => ours.closing.close(ours.keys.placeOf(ACTIVITY), 'any-time', { ...window, birth: 'first' }),
      tidyUp: () => ours.closing.tidyUp(ours.keys.placeOf(ACTIVITY), 0),
      forget: () => ours.contents.forget(ours.keys.placeOf(ACTIVITY)),
      remove: () => ours.contents.remove([ours.keys.placeOf(ACTIVITY)]),
      assign: () => ours.waitingLists.assign(ACTIVITY, 1),
      join: () => ours.waitingLists.join(ACTIVITY, 'bob'),
      leave: () => ours.waitingLists.leave(ACTIVITY, ['bob']),
      acknowledge: () => ours.reservations.acknowledge(0, [claim], []),
      loadClaims: () => ours.loading.loadClaims(ours.keys.placeOf(ACTIVITY), [claim]),
      release: () =>
        ours.reservations.release({ ...claim, shard: ours.keys.shardOf(ACTIVITY), fate: 'return' }),
      extend: () =>
        ours.loading.extend(ours.keys.placeOf(ACTIVITY), 2, pageOf([{ no: 3, amountMinor: 300n }])),
    };
    for (const [name, attempt] of Object.entries(attempts)) {
      const refused = await attempt().then(
        () => undefined,
        (error: unknown) => error,
      );
      expect({ name, refused }).toEqual({ name, refused: expect.any(ForeignRedis) });
    }
    expect(await redis.hgetall(ours.keys.activity(ACTIVITY).state)).toEqual(before);
    expect(await theirs.standings.readStanding(theirs.keys.placeOf(ACTIVITY))).toMatchObject({
      status: 'open',
      packetsLeft: 1,
      held: 1,
    });
  });

  it('does not show other installations who holds a packet, what is in its journal, or the state of a rain', async () => {
    await expect(ours.journals.read(0, '-', '+', 10)).rejects.toThrow(ForeignRedis);
    await expect(ours.standings.readStanding(ours.keys.placeOf(ACTIVITY))).rejects.toThrow(ForeignRedis);
    await expect(ours.contents.holders(ours.keys.placeOf(ACTIVITY)).next()).rejects.toThrow(ForeignRedis);
    expect(await theirs.journals.read(0, '-', '+', 10)).toHaveLength(1);
  });
});

describe('an activity whose id is used again because Postgres lost the first one', () => {
  beforeEach(async () => {
    await openRain(ours);
    await draw(ours, 'ann');
  });

  it('is loaded from scratch', async () => {
    await openRain(ours, 'second');
    expect(await ours.standings.readStanding(ours.keys.placeOf(ACTIVITY))).toMatchObject({
      packetsLeft: 2,
      held: 0,
      birth: 'second',
    });
    expect(numbersOf(await ours.contents.packetsPage(ours.keys.placeOf(ACTIVITY), 0, 10))).toEqual([1, 2]);
  });

  it('is not ended by the end of the first activity', async () => {
    expect(
      await ours.closing.close(ours.keys.placeOf(ACTIVITY), 'any-time', { ...window, birth: 'first' }),
    ).toBe('closed');
    expect(
      await ours.closing.close(ours.keys.placeOf(ACTIVITY), 'after-closing', { ...window, birth: 'second' }),
    ).toBeUndefined();
    expect(await draw(ours, 'ann')).toEqual({ kind: 'not-loaded' });
  });
});
