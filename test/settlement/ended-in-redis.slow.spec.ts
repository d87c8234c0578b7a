import { books, dispensing, rain, shareRain } from '../harness/shared-books';

shareRain();

/** Opens a rain of two packets, one of which ann has won. */
async function rainWithWinner(): Promise<string> {
  const activityId = await rain.openRain({ packets: 2 });
  await rain.grab(activityId, 'ann');
  return activityId;
}

/** Makes a rain whose closer died after the refund, before tidying up. */
async function refundedRain(packets = 2): Promise<string> {
  const activityId = await rain.openRain({ packets });
  await rain.grab(activityId, 'ann');
  await rain.refund(activityId);
  return activityId;
}

/** Moves the end of an activity into the past. */
const endedAgo = (activityId: string, minutes: number): Promise<unknown> =>
  books.dataSource.query(
    `update activity set closed_at = closed_at - $2 * interval '1 minute' where id = $1`,
    [activityId, minutes],
  );

const stepsOf = async (activityId: string): Promise<{ tidied: boolean; forgotten: boolean }> => {
  const [row] = await books.dataSource.query<{ tidied: boolean; forgotten: boolean }[]>(
    `select tidied_at is not null as tidied, forgotten_at is not null as forgotten from activity where id = $1`,
    [activityId],
  );
  return row!;
};

const keysOf = (activityId: string): Promise<string[]> => dispensing.redis.keys(`rp:*:${activityId}:*`);

async function expectClosed(activityId: string): Promise<void> {
  expect(await dispensing.draw(activityId, 'ann', 'bob')).toMatchObject([
    { kind: 'already', packet: { confirmed: true } },
    { kind: 'closed' },
  ]);
  expect(await dispensing.listed(activityId)).toEqual([]);
}

describe('an activity that has ended in Postgres is closed in Redis again', () => {
  it('when a Redis that is not trusted yet considers it open, because its close was in the lost tail', async () => {
    const activityId = await rainWithWinner();
    const { state, gate, packets, claims } = dispensing.keys.activity(activityId);
    const keys = [state, gate, packets, claims];
    const before = await Promise.all(keys.map((key) => dispensing.redis.dumpBuffer(key)));
    await rain.end(activityId);
    await Promise.all(keys.map((key, i) => dispensing.redis.restore(key, 0, before[i]!, 'REPLACE')));
    await dispensing.distrust();

    await rain.sweep();
    await expectClosed(activityId);
    expect(await dispensing.shardTrust.isTrusted()).toBe(true);
  });

  it('when its closer died after the refund, and Redis had already forgotten the winners', async () => {
    const activityId = await rainWithWinner();
    await rain.sweep();
    await dispensing.redis.del(...(Object.values(dispensing.keys.activity(activityId)) as string[]));
    await rain.refund(activityId);
    expect(await dispensing.draw(activityId, 'ann')).toEqual([{ kind: 'not-loaded' }]);

    await rain.sweep();
    await expectClosed(activityId);
  });
});

describe('an ended rain whose closer died before tidying up', () => {
  it('is tidied up even half an hour later', async () => {
    const activityId = await refundedRain();
    await endedAgo(activityId, 30);
    expect(await dispensing.listed(activityId)).toHaveLength(1);

    await rain.sweep();
    await expectClosed(activityId);
    expect(await stepsOf(activityId)).toEqual({ tidied: true, forgotten: false });
  });

  it('is tidied up even if an earlier ended rain cannot be tidied up', async () => {
    const [bad, good] = [await refundedRain(), await refundedRain()];
    const release = await books.holdTidying(bad);

    await rain.sweep();
    await expectClosed(good);
    expect(await stepsOf(bad)).toEqual({ tidied: false, forgotten: false });

    await release();
    await rain.sweep();
    await expectClosed(bad);
  });

  it('frees its packets in a full Redis, and has its winners loaded once there is memory again', async () => {
    const { redis } = dispensing;
    const activityId = await refundedRain(1_000);
    const { state, gate, packets, claims } = dispensing.keys.activity(activityId);
    await redis.del(claims);
    await redis.hset(state, 'status', 'closing');
    await redis.config('SET', 'maxmemory', 1);
    try {
      await rain.sweep();
      expect(await redis.exists(packets, gate)).toBe(0);
      expect(await stepsOf(activityId)).toEqual({ tidied: false, forgotten: false });
      expect(await dispensing.draw(activityId, 'ann')).toEqual([{ kind: 'not-loaded' }]);
    } finally {
      await redis.config('SET', 'maxmemory', 0);
    }

    await rain.sweep();
    await expectClosed(activityId);
    expect(await stepsOf(activityId)).toEqual({ tidied: true, forgotten: false });
  });
});

describe('an ended rain that Redis has held for ENDED_KEPT_SECONDS', () => {
  it('leaves no key in Redis, whether or not it was tidied up before, and is not checked again', async () => {
    const { redis } = dispensing;
    const [tidied, untidied] = [await rainWithWinner(), await refundedRain()];
    await rain.end(tidied);
    const { waitlist } = dispensing.keys.activity(tidied);
    const waiting = dispensing.keys.waiting(dispensing.keys.shardOf(tidied));
    await redis.zadd(waitlist, 1, 'bob');
    await redis.sadd(waiting, tidied);
    await Promise.all([tidied, untidied].map((id) => endedAgo(id, 61)));

    await rain.sweep();
    for (const id of [tidied, untidied]) {
      expect(await keysOf(id)).toEqual([]);
      expect(await stepsOf(id)).toEqual({ tidied: true, forgotten: true });
      expect(await books.toLoad.allEndedInRedis()).not.toContain(id);
    }
    expect(await redis.sismember(waiting, tidied)).toBe(0);
  });

  it('leaves no key in Redis even while Redis is full', async () => {
    const activityId = await rainWithWinner();
    await rain.end(activityId);
    await endedAgo(activityId, 61);
    await dispensing.redis.config('SET', 'maxmemory', 1);
    try {
      await rain.sweep();
    } finally {
      await dispensing.redis.config('SET', 'maxmemory', 0);
    }
    expect(await keysOf(activityId)).toEqual([]);
    expect(await stepsOf(activityId)).toEqual({ tidied: true, forgotten: true });
  });

  it('leaves no key in a Redis that comes back in its state from when the rain was open, before that Redis is trusted', async () => {
    const { redis } = dispensing;
    const activityId = await rainWithWinner();
    const keys = await keysOf(activityId);
    const before = await Promise.all(keys.map((key) => redis.dumpBuffer(key)));
    await rain.end(activityId);
    await endedAgo(activityId, 7 * 60);
    await rain.sweep();
    expect(await keysOf(activityId)).toEqual([]);

    await Promise.all(keys.map((key, i) => redis.restore(key, 0, before[i]!)));
    await dispensing.distrust();
    expect(await rain.grab(activityId, 'bob')).toEqual([{ kind: 'closed' }]);

    await rain.sweep();
    expect(await dispensing.shardTrust.isTrusted()).toBe(true);
    expect(await keysOf(activityId)).toEqual([]);
    expect(await dispensing.draw(activityId, 'ann', 'bob')).toEqual([
      { kind: 'not-loaded' },
      { kind: 'not-loaded' },
    ]);
  });

  it('is not brought back by a late loader', async () => {
    const activityId = await rainWithWinner();
    await rain.end(activityId);
    await endedAgo(activityId, 61);
    await rain.sweep();

    await rain.loader.load(activityId);
    expect(await keysOf(activityId)).toEqual([]);
  });
});

it('a backlog of ended rains is processed a hundred at a time, so that taps are served in between', async () => {
  const ids: string[] = [];
  const endOne = async () => {
    const id = await books.activity({ packets: 1 });
    await rain.end(id);
    await endedAgo(id, 120);
    ids.push(id);
  };
  while (ids.length < 104) await Promise.all(Array.from({ length: 8 }, endOne));
  const forgotten = async () => {
    const found = await books.dataSource.query<unknown[]>(
      `select from activity where id = any($1) and forgotten_at is not null`,
      [ids],
    );
    return found.length;
  };
  const seen: number[] = [];
  while (seen.at(-1) !== ids.length) {
    await rain.sweep();
    seen.push(await forgotten());
  }
  expect(seen.filter((count, i) => count - (seen[i - 1] ?? 0) > 100)).toEqual([]);
});
