import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import type { Engine } from '../../src/dev/engines';
import { redisAppUrl, startTestRedis, waitFor } from '../harness/engines';
import type { Answer } from '../harness/client';
import { Installation } from '../harness/installation';
import { onOneServer } from '../harness/on-one-server';
import { TcpProxy } from '../harness/tcp-proxy';

const LATE_TAPS = 200;

let rain: Installation;

/** Moves the end of the rain back by that many hours. */
const endedAgo = (activityId: string, hours: number) =>
  rain.sql(`update activity set closed_at = closed_at - $2 * interval '1 hour' where id = $1`, [
    activityId,
    hours,
  ]);

const isForgotten = (activityId: string) =>
  waitFor(
    async () =>
      (await rain.sql(`select from activity where id = $1 and forgotten_at is not null`, [activityId]))
        .length === 1,
    { what: 'Redis to be made to forget the rain' },
  );

/** A rain that is over, in which Ann has won one of three packets. */
async function endedRain(): Promise<{ activityId: string; won: Answer }> {
  const activityId = await rain.createActivity({ packetCount: 3 });
  const won = await rain.tap(activityId, 'ann');
  expect(won.body.code).toBe('0');
  expect((await rain.closeActivity(activityId)).status).toBe(200);
  return { activityId, won };
}

describe('a rain that has been over for longer than ENDED_KEPT_SECONDS', () => {
  beforeAll(async () => {
    rain = await Installation.startWithWorker({ DATABASE_POOL_MAX: '3', CONFIRM_TIMEOUT_MS: '60000' });
  });

  afterAll(() => rain.stop());

  it('is no longer in Redis, and a late tap is answered as before', async () => {
    const { activityId, won } = await endedRain();
    const before = [await rain.tap(activityId, 'ann'), await rain.tap(activityId, 'bob')].map(
      ({ body }) => body,
    );
    expect(before).toEqual([
      { ...won.body, code: '1' },
      { code: '-1', reason: 'closed' },
    ]);
    await rain.settled(activityId);
    await endedAgo(activityId, 2);
    await isForgotten(activityId);
    expect(await rain.redis.keys(`rp:*:${activityId}:*`)).toEqual([]);

    expect(
      [await rain.tap(activityId, 'ann'), await rain.tap(activityId, 'bob')].map(({ body }) => body),
    ).toEqual(before);
    const waiting = await rain.user('bob').post(`/v1/activities/${activityId}/waitlist`);
    expect(waiting.body).toMatchObject({ code: 'waitlist.nothing_to_wait_for' });
    expect((await rain.operator().get(`/v1/activities/${activityId}`)).body.phase).toBe('settled');
    expect(await rain.proof(activityId)).toMatchObject({ verdict: 'balanced' });
  });

  it('leaves connections for other requests while a crowd asks about it and Postgres is slow', async () => {
    const { activityId } = await endedRain();
    await endedAgo(activityId, 2);
    await isForgotten(activityId);
    const lookups = `select from pg_stat_activity where wait_event_type = 'Lock' and query like '%as question%'
                       and datname = current_database()`;
    await rain.sql('begin');
    await rain.sql('lock table claim in access exclusive mode');
    const crowd = Array.from({ length: LATE_TAPS }, (_, i) => rain.tap(activityId, `late${i}`));
    const countLookups = async () => {
      await rain.sql('select pg_stat_clear_snapshot()');
      return (await rain.sql(lookups)).length;
    };
    await waitFor(async () => (await countLookups()) > 0, { what: 'the crowd to ask Postgres' });
    const others = await Promise.all([1, 2].map(() => rain.operator().get('/v1/activities')));
    const asking = await countLookups();
    await rain.sql('rollback');

    expect(others.map(({ status }) => status)).toEqual([200, 200]);
    expect(asking).toBeLessThanOrEqual(1);
    const told = (await Promise.all(crowd)).map(
      ({ status, body }) => `${status} ${body.reason ?? body.code}`,
    );
    for (const answer of new Set(told)) expect(['200 closed', '503 unavailable']).toContain(answer);
    expect((await rain.tap(activityId, 'later')).body).toEqual({ code: '-1', reason: 'closed' });
  });
});

onOneServer.describe(
  'a Redis that comes back hours after the end of a rain in a state from before a packet was won',
  () => {
    let proxy: TcpProxy;
    let engines: Engine[];
    let oldData: string;

    beforeAll(async () => {
      oldData = mkdtempSync(join(tmpdir(), 'hongbao-old-redis-'));
      const engine = await startTestRedis();
      engines = [engine];
      const through = await TcpProxy.before(engine.url);
      proxy = through.proxy;
      rain = await Installation.startWithWorker({ REDIS_URL: redisAppUrl(through.url) });
    });

    afterAll(async () => {
      await rain.stop();
      await proxy.stop();
      await Promise.all(engines.map((engine) => engine.stop()));
      rmSync(oldData, { recursive: true, force: true });
    });

    /** Keeps a copy of the files in which the rain is over, as it would be hours later. */
    async function keepCopy(engine: Engine, activityId: string): Promise<void> {
      const redis = new Redis(engine.url);
      // On a busy machine a rain may be loaded after its creation is answered.
      const found = async () => (await redis.keys(`rp:*:${activityId}:state`))[0];
      const state = (await waitFor(found, { what: 'the rain in Redis' }))!;
      const closesAt = (await redis.hget(state, 'closesAt'))!;
      await redis.hset(state, 'closesAt', Date.now() - 1);
      await redis.save();
      await redis.hset(state, 'closesAt', closesAt);
      redis.disconnect();
      copyFileSync(join(engine.dataDir, 'dump.rdb'), join(oldData, 'dump.rdb'));
    }

    it('answers the winner with their packet, lets no other user win, and then holds nothing of the rain', async () => {
      const activityId = await rain.createActivity({ packetCount: 3 });
      await keepCopy(engines[0]!, activityId);
      const won = await rain.tap(activityId, 'ann');
      expect(won.body.code).toBe('0');
      expect((await rain.closeActivity(activityId)).status).toBe(200);
      await rain.settled(activityId);
      await endedAgo(activityId, 7);
      await isForgotten(activityId);

      const old = await startTestRedis({ dataDir: oldData, appendOnly: false });
      engines.push(old);
      const redis = new Redis(old.url);
      expect(await redis.keys(`rp:*:${activityId}:state`)).toHaveLength(1);
      proxy.pointAt(portOf(old));
      proxy.reset();
      /** Returns the first answer other than 503. */
      const answerFor = (user: string) =>
        waitFor(
          async () => {
            const { status, body } = await rain.tap(activityId, user);
            return status !== 503 && body;
          },
          { what: `an answer for ${user}` },
        );
      expect(await answerFor('ann')).toEqual({ ...won.body, code: '1' });

      const gone = async () => (await redis.keys(`rp:*:${activityId}:*`)).length === 0;
      await waitFor(gone, { what: 'the old Redis to forget the rain' });
      const isTrusted = async () => (await rain.metric('hongbao_redis_trusted')) === 1;
      await waitFor(isTrusted, { what: 'the old Redis to be believed' });
      redis.disconnect();
      expect(await answerFor('ann')).toEqual({ ...won.body, code: '1' });
      expect(await answerFor('bob')).toEqual({ code: '-1', reason: 'closed' });
      expect(await rain.proof(activityId)).toMatchObject({ packets: { claimed: 1 }, verdict: 'balanced' });
    });
  },
);

const portOf = ({ url }: Engine): number => Number(new URL(url).port);
