import { Redis } from 'ioredis';
import { Dispenser, ForeignRedis, type Window } from '../../libs/redis-scripts';
import type { Engine } from '../../libs/local-engines';
import { numbersOf, packetsUpTo, pageOf } from '../support/dispensing';
import { startTestRedis } from '../support/engines';

const SHARDS = 2;
const ACTIVITY = '8';
const MARK = { history: 'a-history', flushed: '0000000000000001' };

let engine: Engine;
let redis: Redis;
let ours: Dispenser;
let theirs: Dispenser;
let window: Window;

const dispenserOf = (installation: string): Dispenser => {
  const dispenser = new Dispenser(redis, SHARDS);
  dispenser.identify(installation);
  return dispenser;
};

/** Two packets, open. */
async function openRain(dispenser: Dispenser, birth = 'first'): Promise<void> {
  const { packetCursor } = await dispenser.beginLoad(ACTIVITY, { ...window, birth });
  await dispenser.loadPackets(ACTIVITY, packetCursor, pageOf(packetsUpTo(2)));
  expect(await dispenser.open(ACTIVITY, 2)).toBe('open');
}

const draw = async (dispenser: Dispenser, userId: string) =>
  (await dispenser.draw(0, [{ activityId: ACTIVITY, userIds: [userId] }]))[0]!;

beforeAll(async () => {
  engine = await startTestRedis();
  redis = new Redis(engine.url);
});

beforeEach(async () => {
  await redis.flushall();
  ours = dispenserOf('ours');
  theirs = dispenserOf('theirs');
  const now = await ours.nowMs();
  window = { opensAtMs: now - 3_600_000, closesAtMs: now + 3_600_000 };
});

afterAll(async () => {
  redis.disconnect();
  await engine.stop();
});

describe('a Redis that belongs to nobody', () => {
  it('is claimed by exactly one of two installations that ask at once', async () => {
    const claims = await Promise.allSettled([ours.claim(), theirs.claim()]);
    expect(claims.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const isOurs = claims[0].status === 'fulfilled';
    expect([await ours.belongsToOthers(), await theirs.belongsToOthers()]).toEqual([!isOurs, isOurs]);
    expect([ours.isForeign, theirs.isForeign]).toEqual([!isOurs, isOurs]);
  });

  it('is not trusted once it is claimed, although it notes that it was told everything', async () => {
    await ours.trust(await ours.serverId(), MARK);
    expect(await ours.notes()).toMatchObject({ isTrusted: true, mark: MARK });
    await ours.claim();
    expect(await ours.notes()).toMatchObject({ isTrusted: false, mark: undefined });
  });

  it('is claimed by the first script that runs on it', async () => {
    await openRain(ours);
    expect(await theirs.belongsToOthers()).toBe(true);
    expect(await draw(ours, 'ann')).toMatchObject({ kind: 'won' });
  });
});

describe('a Redis that another installation has claimed', () => {
  beforeEach(async () => {
    await theirs.claim();
    await openRain(theirs);
    expect(await draw(theirs, 'ann')).toMatchObject({ kind: 'won' });
  });

  it('has no packet for anybody else, even while the gate is open', async () => {
    expect(await draw(ours, 'bob')).toEqual({ kind: 'not-loaded' });
    expect(await draw(ours, 'ann')).toEqual({ kind: 'not-loaded' });
    await redis.del(ours.keys.activity(ACTIVITY).gate);
    expect(await draw(ours, 'bob')).toEqual({ kind: 'not-loaded' });
    expect(await theirs.standingOf(ACTIVITY)).toMatchObject({ status: 'open', packetsLeft: 1, held: 1 });
  });

  it('is not changed by anybody else in any way', async () => {
    const packet = { no: 1, amountMinor: 100n };
    const claim = { activityId: ACTIVITY, userId: 'bob', packet };
    const before = await redis.hgetall(ours.keys.activity(ACTIVITY).state);
    const attempts: Record<string, () => Promise<unknown>> = {
      load: () => ours.beginLoad(ACTIVITY, { ...window, birth: 'first' }),
      close: () => ours.close(ACTIVITY, 'any-time', { ...window, birth: 'first' }),
      tidyUp: () => ours.tidyUp(ACTIVITY, 0),
      forget: () => ours.forget(ACTIVITY),
      remove: () => ours.remove([ACTIVITY]),
      assign: () => ours.assignWaitlist(ACTIVITY, 1),
      join: () => ours.joinWaitlist(ACTIVITY, 'bob'),
      acknowledge: () => ours.acknowledge(0, [claim], []),
      loadClaims: () => ours.loadClaims([claim]),
      release: () => ours.release({ ...claim, fate: 'return' }),
      extend: () => ours.extend(ACTIVITY, 2, pageOf([{ no: 3, amountMinor: 300n }])),
    };
    for (const [name, attempt] of Object.entries(attempts)) {
      const refused = await attempt().then(
        () => undefined,
        (error: unknown) => error,
      );
      expect({ name, refused }).toEqual({ name, refused: expect.any(ForeignRedis) });
    }
    expect(await redis.hgetall(ours.keys.activity(ACTIVITY).state)).toEqual(before);
    expect(await theirs.standingOf(ACTIVITY)).toMatchObject({ status: 'open', packetsLeft: 1, held: 1 });
  });

  it('tells nobody else who holds what, what is in its journal, or how a rain stands', async () => {
    await expect(ours.readJournal(0, '-', '+', 10)).rejects.toThrow(ForeignRedis);
    await expect(ours.standingOf(ACTIVITY)).rejects.toThrow(ForeignRedis);
    await expect(ours.holders(ACTIVITY).next()).rejects.toThrow(ForeignRedis);
    expect(await theirs.readJournal(0, '-', '+', 10)).toHaveLength(1);
  });
});

describe('an activity whose id is used again because Postgres lost the first one', () => {
  beforeEach(async () => {
    await openRain(ours);
    await draw(ours, 'ann');
  });

  it('is loaded from scratch', async () => {
    await openRain(ours, 'second');
    expect(await ours.standingOf(ACTIVITY)).toMatchObject({ packetsLeft: 2, held: 0, birth: 'second' });
    expect(numbersOf(await ours.packetsPage(ACTIVITY, 0, 10))).toEqual([1, 2]);
  });

  it('is not ended by the end of the first one', async () => {
    expect(await ours.close(ACTIVITY, 'any-time', { ...window, birth: 'first' })).toBe('closed');
    expect(await ours.close(ACTIVITY, 'after-closing', { ...window, birth: 'second' })).toBeUndefined();
    expect(await draw(ours, 'ann')).toEqual({ kind: 'not-loaded' });
  });
});
