import { ClosingRepository } from '../../src/core/lifecycle/close/closing.repository';
import { ExtendService } from '../../src/core/lifecycle/extend/extend.service';
import { LongerWindows } from '../../src/core/recovery';
import { GrabService } from '../../src/core/grab/tap/grab.service';
import { NewsListeners, type NewsItem } from '../../src/core/news';
import { windowOf } from '../../src/core/activity/activity-terms';
import { type ActivityWish, requestOf } from '../harness/books';
import { waitFor } from '../harness/engines';
import type { Graph } from '../harness/graph';
import { codeOf } from '../harness/problems';
import { books, dispensing, proveBooks, rain, shareRain } from '../harness/shared-books';

const HOUR_MS = 3_600_000;

let api: Graph;

proveBooks();
shareRain();

beforeAll(async () => {
  api = await rain.openApi();
});

afterEach(() => jest.restoreAllMocks());

const openRain = (wish: Partial<ActivityWish> = {}) => rain.openRain({ packets: 6, ...wish });

const inMs = (ms: number) => ({ closesAt: new Date(Date.now() + ms).toISOString() });

const extend = (id: string, body: { closesAt: string }, request = requestOf('operator', 'operator')) =>
  api.get(ExtendService).extend(request, id, body);

/** The end according to Postgres and to each place of Redis. */
async function endsOf(id: string): Promise<number[]> {
  const activity = (await books.activities.findActivity(id))!;
  const standings = await dispensing.standings.each(dispensing.keys.placesOf(activity));
  return [activity.closesAt.getTime(), ...standings.map(({ closesAtMs }) => closesAtMs)];
}

async function expectEnds(id: string, { closesAt }: { closesAt: string }, places = 1): Promise<void> {
  expect(await endsOf(id)).toEqual(Array.from({ length: places + 1 }, () => Date.parse(closesAt)));
}

/** Moves the end in Postgres and Redis to now. */
async function endsNow(id: string): Promise<void> {
  await books.dataSource.query(`update activity set closes_at = now() where id = $1`, [id]);
  await dispensing.redis.hset(dispensing.keys.activity(id).state, 'closesAt', Date.now());
  await dispensing.redis.del(dispensing.keys.activity(id).gate);
}

describe('an extension', () => {
  it.each([
    ['that is open', {}, 1],
    ['that has not opened', { opensInMs: HOUR_MS, closesInMs: 2 * HOUR_MS }, 1],
    ['over parts', { parts: 3 }, 3],
  ])('moves the end of a rain %s, in Postgres and in every place of Redis', async (_, wish, places) => {
    const id = await openRain(wish);
    const later = inMs(3 * HOUR_MS);
    expect(await extend(id, later)).toMatchObject(later);
    await expectEnds(id, later, places);
  });

  it('lets users win after the time at which the rain would have ended', async () => {
    const id = await openRain();
    expect(await rain.grab(id, 'ann')).toMatchObject([{ kind: 'confirmed' }]);
    await extend(id, inMs(2 * HOUR_MS));
    // The gate expires at the end that was known when it was written.
    await dispensing.redis.del(dispensing.keys.activity(id).gate);
    await rain.sweep();
    expect(await rain.grab(id, 'bob')).toMatchObject([{ kind: 'confirmed' }]);
    const { gate } = dispensing.keys.activity(id);
    expect(await dispensing.redis.pexpiretime(gate)).toBe((await endsOf(id))[0]! - 1);
  });

  it('removes a gate that names the earlier end', async () => {
    const at = Date.now() + HOUR_MS / 2;
    const waves = [
      { at: new Date(Date.now() - HOUR_MS / 2).toISOString(), count: 3 },
      { at: new Date(at).toISOString(), count: 3 },
    ];
    const id = await openRain({ pace: { kind: 'waves', waves } });
    await rain.grab(id, 'ann', 'bob', 'cem');
    const later = inMs(2 * HOUR_MS);
    await extend(id, later);
    expect(await dispensing.draw(id, 'dan')).toMatchObject([
      { kind: 'not-yet', closesAtMs: Date.parse(later.closesAt) },
    ]);
  });

  it('does not change a plan that ends with the window, because it was committed to', async () => {
    const id = await openRain({ pace: { kind: 'even' } });
    const before = (await books.activities.findActivity(id))!;
    await extend(id, inMs(3 * HOUR_MS));
    const after = (await books.activities.findActivity(id))!;
    expect(after.paced).toEqual(before.paced);
    expect(after.paced).toMatchObject([{ pace: { untilMs: before.closesAt.getTime() } }]);
  });

  it.each([
    ['to an earlier time', HOUR_MS / 2],
    ['beyond the longest window', 367 * 24 * HOUR_MS],
  ])('%s is refused, and changes nothing', async (_, ms) => {
    const id = await openRain();
    const before = await endsOf(id);
    await expect(extend(id, inMs(ms))).rejects.toMatchObject({
      code: 'request.invalid',
      fields: [{ field: 'closesAt' }],
    });
    expect(await endsOf(id)).toEqual(before);
  });

  it('to the current end is refused: nothing would change', async () => {
    const id = await openRain();
    const { closesAt } = (await books.activities.findActivity(id))!;
    expect(await codeOf(extend(id, { closesAt: closesAt.toISOString() }))).toBe('request.invalid');
  });

  it.each([
    ['is about to close', (id: string) => movedTo(id, 9_000)],
    ['is over but not closed yet', (id: string) => movedTo(id, -1)],
    ['has been decided to end', (id: string) => api.get(ClosingRepository).intend(id, 'any-time')],
    ['has ended', (id: string) => rain.end(id)],
  ])('of a rain that %s is refused', async (_, prepare) => {
    const id = await openRain();
    await prepare(id);
    expect(await codeOf(extend(id, inMs(2 * HOUR_MS)))).toBe('activity.ended');
    await rain.sweep();
  });

  const movedTo = (id: string, ms: number) =>
    books.dataSource.query(
      `update activity set closes_at = clock_timestamp() + $2 * interval '1 ms' where id = $1`,
      [id, ms],
    );

  it('is audited and has one effect, however often it is sent', async () => {
    const id = await openRain();
    const [first, second] = [inMs(2 * HOUR_MS), inMs(3 * HOUR_MS)];
    const once = requestOf('operator', 'operator');
    await extend(id, first, once);
    await extend(id, second);
    expect(await extend(id, first, once)).toMatchObject(first);
    await expectEnds(id, second);
    const audited = await books.dataSource.query(
      `select after from audit_log where action = 'activity.extend' and subject = 'activity:' || $1 order by id`,
      [id],
    );
    expect(audited).toEqual([{ after: first }, { after: second }]);
  });

  it('is refused to a sponsor who has made 200 within a day', async () => {
    const id = await openRain();
    await books.dataSource.query(
      `insert into audit_log (actor_id, action, subject)
       select 'sponsor', 'activity.extend', 'activity:' || $1 from generate_series(1, 200)`,
      [id],
    );
    const sponsor = requestOf('sponsor', 'user');
    expect(await codeOf(extend(id, inMs(2 * HOUR_MS), sponsor))).toBe('rate_limited');
  });
});

describe('a process that still has the earlier end', () => {
  it('does not close a rain that has since been extended', async () => {
    const id = await openRain();
    const stale = (await books.activities.findActivity(id))!;
    await extend(id, inMs(2 * HOUR_MS));
    const past = { ...stale, closesAt: new Date(Date.now() - 1) };
    expect(await rain.closing.close(past, 'after-closing')).toBe(false);
    expect(await books.activities.findActivity(id)).toMatchObject({ status: 'active', ending: null });
    expect(await rain.grab(id, 'ann')).toMatchObject([{ kind: 'confirmed' }]);
  });

  it('does not bring it back into Redis', async () => {
    const id = await openRain();
    const stale = (await books.activities.findActivity(id))!;
    const later = inMs(2 * HOUR_MS);
    await extend(id, later);
    await dispensing.begin(id, windowOf(stale));
    await expectEnds(id, later);
  });
});

describe('an extension and a close at once', () => {
  it('agree: an extension that waits for a close under way is refused', async () => {
    const id = await openRain();
    const commit = await books.hold((tx) =>
      tx.query(`update activity set ending = 'closed', ending_at = now() where id = $1`, [id]),
    );
    const waiting = codeOf(extend(id, inMs(2 * HOUR_MS)));
    await waitFor(async () => (await books.blocked()).length === 1, { what: 'the extension to wait' });
    await commit();
    expect(await waiting).toBe('activity.ended');
    await rain.sweep();
  });

  it('agree: a sweep that waits for an extension does not close', async () => {
    const id = await openRain();
    await endsNow(id);
    const later = inMs(2 * HOUR_MS);
    const commit = await books.hold((tx) =>
      tx.query(`update activity set closes_at = $2 where id = $1`, [id, later.closesAt]),
    );
    const closing = rain.dueClosing.closeDue();
    await waitFor(async () => (await books.blocked()).length === 1, { what: 'the sweep to wait' });
    await commit();
    await closing;
    expect(await books.activities.findActivity(id)).toMatchObject({ status: 'active', ending: null });
    await rain.sweep();
    await expectEnds(id, later);
  });
});

it.each([
  ['a shorter one moves the end that the shorter one has set', 1],
  ['a longer one does not bring the end back', 3],
])('an extension that waits for %s', async (_, hours) => {
  const id = await openRain();
  const other = inMs(hours * HOUR_MS);
  const mine = inMs(2 * HOUR_MS);
  const commit = await books.hold((tx) =>
    tx.query(`update activity set closes_at = $2 where id = $1`, [id, other.closesAt]),
  );
  const waiting = extend(id, mine).catch((error: unknown) => error);
  await waitFor(async () => (await books.blocked()).length === 1, { what: 'the extension to wait' });
  await commit();
  const isRefused = hours > 2;
  expect(await waiting).toMatchObject(
    isRefused ? { code: 'request.invalid', fields: [{ field: 'closesAt' }] } : mine,
  );
  const audited = await books.dataSource.query(
    `select before, after from audit_log where action = 'activity.extend' and subject = 'activity:' || $1`,
    [id],
  );
  expect(audited).toEqual(isRefused ? [] : [{ before: other, after: mine }]);
  await rain.sweep();
  await expectEnds(id, isRefused ? other : mine);
});

describe('an extension whose process died after the commit', () => {
  it('reaches Redis and those who watch with the next sweep, and taps are never answered "closed"', async () => {
    const id = await openRain();
    const heard: NewsItem[] = [];
    rain.worker
      .get(NewsListeners)
      .addListener({
        anybodyListens: () => Promise.resolve(true),
        publish: (news) => Promise.resolve(void heard.push(...news)),
      });
    jest.spyOn(api.get(LongerWindows), 'makeKnownOrLeave').mockResolvedValue();
    const later = inMs(2 * HOUR_MS);
    await extend(id, later);
    const { state, gate } = dispensing.keys.activity(id);
    await dispensing.redis.hset(state, 'closesAt', Date.now() - 1);
    await dispensing.redis.del(gate);
    expect(await codeOf(api.get(GrabService).grab(id, 'ann'))).toBe('grab.unavailable');

    await rain.sweep();
    await expectEnds(id, later);
    expect(await rain.grab(id, 'ann')).toMatchObject([{ kind: 'confirmed' }]);
    expect(heard.filter(({ event }) => event === 'activity.extended')).toMatchObject([
      { id: `${id}.extended.${Date.parse(later.closesAt)}`, data: { activityId: id, ...later } },
    ]);
  });

  it('is restored in a Redis that came back from before it', async () => {
    const id = await openRain();
    const before = await dispensing.redis.hget(dispensing.keys.activity(id).state, 'closesAt');
    const later = inMs(2 * HOUR_MS);
    await extend(id, later);
    await dispensing.redis.hset(dispensing.keys.activity(id).state, 'closesAt', before!);
    await rain.sweep();
    await expectEnds(id, later);
  });
});
