import { bareActivities } from '../harness/bare-activities';
import { waitFor } from '../harness/engines';
import type { Answer } from '../harness/client';
import { rain, shareInstallationWithoutWorker } from '../harness/shared-installation';

const LOADING = { status: 503, body: { code: 'activity.loading' } };

/** Loads read accounts; taps and confirmations do not. */
const STOP_LOADS = 'lock table account in access exclusive mode';

/** Activities that Redis lacks, and no worker to load them. */
describe('an installation without a worker:', () => {
  shareInstallationWithoutWorker({ DATABASE_POOL_MAX: '6', RATE_LIMIT_USER_PER_SECOND: '1000' });

  const tap = (activityId: string, userId = 'u1'): Promise<Answer> => rain.tap(activityId, userId);

  const missing = (count: number, packets?: number): Promise<string[]> =>
    bareActivities((sql, values) => rain.sql(sql, values), count, packets);

  const loaded = async (): Promise<number> => (await rain.redis.keys('rp:*:state')).length;

  const whileLoadsStop = (work: () => Promise<void>): Promise<void> => rain.whileLocked(STOP_LOADS, work);

  /** Runs `work` while the activity seems to be loaded by another process. */
  const whileLoadedElsewhere = (activityId: string, work: () => Promise<void>): Promise<void> =>
    rain.whileLocked(`select pg_advisory_xact_lock(hashtextextended('load:${activityId}', 0))`, work);

  const heard = (activityId: string, userId: string, code: string): Promise<boolean> =>
    waitFor(async () => (await tap(activityId, userId)).body.code === code, {
      what: `code ${code} from activity ${activityId}`,
    });

  it('a tap loads its activity, even if a thousand others are waiting to be loaded', async () => {
    const ids = await missing(1_001);
    await rain.redis.flushall();

    await heard(ids.at(-1)!, 'u1', '0');
    expect(await loaded()).toBe(1);
    expect((await tap(ids.at(-1)!)).body.code).toBe('1');
  });

  it('a user who joins the waiting list also causes the load', async () => {
    const [id] = await missing(1);
    expect(await rain.user('u1').post(`/v1/activities/${id}/waitlist`)).toMatchObject(LOADING);
    const { state } = rain.keys.activity(id!);
    await waitFor(async () => (await rain.redis.hget(state, 'status')) === 'open', { what: 'the load' });
  });

  it('a winner gets the same packet again, and others still win, after Redis has lost everything', async () => {
    const [id] = await missing(1, 3);
    await heard(id!, 'ann', '0');
    const won = (await tap(id!, 'ann')).body;
    await rain.redis.flushall();

    await heard(id!, 'bob', '0');
    expect((await tap(id!, 'ann')).body).toEqual(won);
    await rain.redis.flushall();
    await heard(id!, 'cem', '0');
    await waitFor(async () => (await tap(id!, 'dan')).body.reason === 'sold-out', { what: '"sold-out"' });
  });

  it('a crowd that taps at a missing activity starts a single load', async () => {
    const [id] = await missing(1);
    await whileLoadsStop(async () => {
      const tapping = Promise.all(Array.from({ length: 50 }, (_, i) => tap(id!, `crowd-${i}`)));
      await waitFor(async () => (await rain.waitingForLocks()) > 0, { what: 'a load' });
      for (const answer of await tapping) {
        expect(answer).toMatchObject(LOADING);
        expect(answer.headers.get('retry-after')).toBe('1');
      }
      // There may be no load left: it gives up when it has waited for too long.
      expect(await rain.waitingForLocks()).toBeLessThanOrEqual(1);
    });
    await heard(id!, 'u1', '0');
  });

  it('a tap at an activity that another process is loading waits for it', async () => {
    const [id] = await missing(1, 2);
    let tapping: Promise<Answer>;
    await whileLoadedElsewhere(id!, async () => {
      tapping = tap(id!);
      await waitFor(async () => (await rain.waitingForLocks()) > 0, { what: 'a tap that waits' });
    });
    await tapping!;
    await heard(id!, 'u2', '0');
  });

  it('a load that takes a long time in another process does not count as failed', async () => {
    const [id] = await missing(1, 2);
    const failures = async (): Promise<string[]> =>
      (await (await fetch(`${rain.url}/metrics`)).text())
        .split('\n')
        .filter((line) => /^hongbao_activities_loaded_on_demand_total{result="failed"}/.test(line));
    const before = await failures();
    await whileLoadedElsewhere(id!, async () => {
      const { body } = await tap(id!);
      expect(body.code).toBe('activity.loading');
      await waitFor(async () => (await rain.waitingForLocks()) === 0, { what: 'the end of its patience' });
    });
    await heard(id!, 'u2', '0');
    expect(await failures()).toEqual(before);
  });

  it('the creation of an activity that another process is loading waits for the load', async () => {
    const [id] = await missing(1);
    let creation: Promise<string>;
    await whileLoadedElsewhere(String(Number(id) + 1), async () => {
      creation = rain.createActivity();
      await waitFor(async () => (await rain.waitingForLocks()) > 0, { what: 'a creation that waits' });
    });
    expect((await tap(await creation!)).body.code).toBe('0');
  });

  it('loads on demand never use all connections: packets of other activities are still confirmed', async () => {
    const open = await rain.createActivity();
    const ids = await missing(20);
    await whileLoadsStop(async () => {
      const answers = await Promise.all(ids.map((id) => tap(id)));
      for (const answer of answers) expect(answer).toMatchObject(LOADING);
      expect(await rain.waitingForLocks()).toBe(2);
      expect((await tap(open)).body.code).toBe('0');
    });
    for (const id of ids) await heard(id, 'u1', '0');
  });
});
