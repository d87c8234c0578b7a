import { ClockSkew } from '../../src/core/dispenser';
import { GrabService } from '../../src/core/grab/tap/grab.service';
import { ActivityRepository, WindowEnd } from '../../src/core/activity';
import { WaitlistService } from '../../src/extensions/waitlist/waitlist.service';
import { Metrics } from '../../src/platform/telemetry';
import { waitFor } from '../harness/engines';
import { books, dispensing, expectProven, rain } from '../harness/shared-books';
import { clock, shareSteppedRain, test } from '../harness/stepped-rain';
import { WholeRain } from '../harness/whole-rain';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Only Redis has the clock that is set. Postgres uses the clock of the host. */
shareSteppedRain((clock) => WholeRain.start({ clock }));

afterEach(async () => {
  clock?.set(0);
  // Nothing settles here, so claims wait too long (I11) on a slow machine.
  if (clock) await expectProven(['I11']);
});

const openRain = (wish: { opensInMs?: number } = {}) => rain.openRain({ packets: 2, ...wish });

const endOf = async (id: string) => {
  const { status, ending } = (await books.activities.findActivity(id))!;
  return { status, ending };
};

describe('before a step that cannot be undone, the clocks of Redis and Postgres have to agree:', () => {
  test('a Redis whose clock is two hours ahead closes no rain that has an hour left', async (clock) => {
    const activityId = await openRain();
    clock.set(2 * HOUR_MS);
    await rain.sweep();
    expect(await rain.end(activityId, 'after-closing')).toBe(false);
    clock.set(0);

    expect(await endOf(activityId)).toEqual({ status: 'active', ending: null });
    expect(await rain.grab(activityId, 'ann')).toMatchObject([{ kind: 'confirmed' }]);
  });

  test('a rain that is over only by the clock of Postgres continues until Redis agrees', async (clock) => {
    const activityId = await openRain();
    await books.dataSource.query(
      `update activity set closes_at = now() - interval '5 minutes' where id = $1`,
      [activityId],
    );
    clock.set(-10 * MINUTE_MS);
    await rain.sweep();
    expect(await rain.end(activityId, 'after-closing')).toBe(false);
    const activity = (await books.activities.findActivity(activityId))!;
    expect(await rain.closing.refundTogether([activity])).toEqual([]);
    expect(await endOf(activityId)).toEqual({ status: 'active', ending: null });
    expect(await rain.grab(activityId, 'ann')).toMatchObject([{ kind: 'confirmed' }]);

    clock.set(0);
    await rain.sweep();
    expect(await endOf(activityId)).toEqual({ status: 'closed', ending: 'closed' });
  });

  test('an open rain that has a winner is not cancelled by a Redis whose clock is ten minutes slow', async (clock) => {
    const activityId = await openRain({ opensInMs: -MINUTE_MS });
    await rain.grab(activityId, 'ann');
    clock.set(-10 * MINUTE_MS);
    expect(await rain.end(activityId, 'before-opening')).toBe(false);
    expect(await endOf(activityId)).toEqual({ status: 'active', ending: null });
  });

  test('a rain that was opened by a Redis whose clock was fast, and has a winner, is not cancelled', async (clock) => {
    const activityId = await openRain({ opensInMs: 10 * MINUTE_MS });
    clock.set(20 * MINUTE_MS);
    const [drawn] = await dispensing.draw(activityId, 'ann');
    clock.set(0);
    expect(drawn).toMatchObject({ kind: 'won' });
    expect(await rain.end(activityId, 'before-opening')).toBe(false);

    await rain.journal.drain(rain.dispensing.keys.placeOf(activityId));
    expect(await rain.end(activityId, 'before-opening')).toBe(false);
    expect(await endOf(activityId)).toEqual({ status: 'active', ending: null });
  });

  test('a rain can be ended by hand whatever the clocks say', async (clock) => {
    const activityId = await openRain();
    clock.set(-10 * HOUR_MS);
    expect(await rain.end(activityId, 'any-time')).toBe(true);
    expect(await endOf(activityId)).toMatchObject({ status: 'closed' });
  });

  test('an Idempotency-Key that is old only by the clock of Postgres is kept until Redis agrees', async (clock) => {
    await books.dataSource.query(
      `insert into idempotency_key (principal, key, fingerprint, status, response, created_at)
       values ('op1', 'deposit-0001', sha256(''), 201, '{}', now() - interval '25 hours')`,
    );
    const keys = async () => {
      await rain.idempotencySweep.sweep(new AbortController().signal);
      return books.dataSource.query<unknown[]>(`select key from idempotency_key where principal = 'op1'`);
    };
    clock.set(-2 * HOUR_MS);
    expect(await keys()).toEqual([{ key: 'deposit-0001' }]);
    clock.set(0);
    expect(await keys()).toEqual([]);
  });

  test('waiting users keep their places while the clock of Redis is briefly past the end', async (clock) => {
    const activityId = await openRain();
    await rain.grab(activityId, 'ann', 'bob');
    await dispensing.waitingLists.join(activityId, 'cid');
    clock.set(2 * HOUR_MS);
    expect(await dispensing.waitingLists.assign(activityId, 10)).toEqual([]);
    expect(await dispensing.waitingLists.join(activityId, 'dan')).toEqual({ kind: 'over' });

    clock.set(0);
    await rain.topUp(activityId, { packets: 1 });
    expect(await dispensing.waitingLists.assign(activityId, 10)).toMatchObject([{ userId: 'cid' }]);
  });
});

describe('the end of a window', () => {
  test('is looked up in Postgres once for a whole crowd, again until it has passed, and never after that', async () => {
    const activityId = await openRain();
    const asking = jest.spyOn(ActivityRepository.prototype, 'windowRemainingMs');
    const windowEnd = new WindowEnd(books.activities, books.dataSource);
    const crowd = () => Promise.all(Array.from({ length: 500 }, () => windowEnd.isOver(activityId)));

    expect(new Set(await crowd())).toEqual(new Set([false]));
    expect(asking).toHaveBeenCalledTimes(1);
    await books.dataSource.query(`update activity set closes_at = now() where id = $1`, [activityId]);
    await waitFor(() => windowEnd.isOver(activityId), { what: 'the end of the window' });
    asking.mockClear();
    expect(new Set(await crowd())).toEqual(new Set([true]));
    expect(asking).not.toHaveBeenCalled();
    asking.mockRestore();
  });

  test('is not answered early, not even within the last second', async () => {
    const activityId = await openRain();
    const windowEnd = new WindowEnd(books.activities, books.dataSource);
    const inLastSecond = async () => {
      await books.dataSource.query(
        `update activity set closes_at = clock_timestamp() + interval '900 ms' where id = $1`,
        [activityId],
      );
      const isOver = await new WindowEnd(books.activities, books.dataSource).isOver(activityId);
      return (await books.activities.windowRemainingMs(activityId, books.dataSource)) > 0
        ? { isOver }
        : undefined;
    };
    const seen = await waitFor(inLastSecond, { what: 'an answer within the last second' });
    expect(seen).toEqual({ isOver: false });
    await waitFor(() => windowEnd.isOver(activityId), { what: 'the end of the window' });
    expect(await books.activities.windowRemainingMs(activityId, books.dataSource)).toBeLessThanOrEqual(0);
  });

  test('is not decided by a Redis whose clock is briefly fast: users are answered 503, and win later', async (clock) => {
    const activityId = await openRain();
    const { redis } = dispensing;
    const api = await rain.openApi();
    const grabs = api.get(GrabService);
    const waitlist = api.get(WaitlistService);
    clock.set(2 * HOUR_MS);
    const unavailable = { status: 503, retryAfterSeconds: 1 };
    await expect(grabs.grab(activityId, 'ann')).rejects.toMatchObject(unavailable);
    await expect(waitlist.join(activityId, 'ann')).rejects.toMatchObject(unavailable);
    clock.set(0);
    expect(await grabs.grab(activityId, 'ann')).toMatchObject({ kind: 'won' });

    await books.dataSource.query(`update activity set closes_at = now() where id = $1`, [activityId]);
    const { state, gate } = dispensing.keys.activity(activityId);
    await redis.hset(state, 'closesAt', Date.now() - 1);
    await redis.del(gate);
    const late = await waitFor(() => grabs.grab(activityId, 'bob'), { what: 'Postgres to agree' });
    expect(late).toEqual({ kind: 'closed' });
    expect(await grabs.grab(activityId, 'ann')).toMatchObject({ kind: 'already' });
  });
});

describe('the skew of the clocks', () => {
  test('is measured, and is logged once when it exceeds the limit and once when it is within it again', async (clock) => {
    const api = await rain.openApi();
    const skew = api.get(ClockSkew);
    const metrics = api.get(Metrics);
    const [warn, log] = (['warn', 'log'] as const).map((level) => jest.spyOn(skew['logger'], level));
    const measured = async () =>
      Number(/^hongbao_clock_skew_seconds (\S+)$/m.exec(await metrics.expose())?.[1]);

    await skew.measureLead();
    for (const minutes of [20, 20, -20, 0, 0]) {
      clock.set(minutes * MINUTE_MS);
      await skew.measureLead();
      expect(Math.round((await measured()) / 60) + 0).toBe(minutes);
    }
    expect(warn).toHaveBeenCalledTimes(1);
    expect(warn).toHaveBeenCalledWith(expect.stringMatching(/^The clock of Redis is 1[12]\d\d\.\d s ahead/));
    expect(log).toHaveBeenCalledTimes(1);
  });
});
