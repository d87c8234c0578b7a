import { homeOf } from '../../libs/redis-scripts';
import { ConfirmService } from '../../src/core/grab/confirm/confirm.service';
import { GrabService } from '../../src/core/grab/tap/grab.service';
import { ActivityTopUp } from '../../src/core/lifecycle/add/activity-top-up';
import { WaitlistService } from '../../src/extensions/waitlist/waitlist.service';
import type { Graph } from '../harness/graph';
import { codeOf } from '../harness/problems';
import { books, dispensing, proveBooks, rain, shareRain } from '../harness/shared-books';

const HOUR_MS = 3_600_000;

let api: Graph;

proveBooks();
shareRain();

beforeAll(async () => {
  api = await rain.openApi();
  await rain.trust(api);
});

afterEach(() => api.get(ConfirmService).beforeApplicationShutdown());

const soon = (ms: number): string => new Date(Date.now() + ms).toISOString();

/** Releases `now` packets at the opening, an hour ago, and `later` ones before the end. */
async function pacedRain({ now, later, parts }: { now: number; later: number; parts: number }) {
  const waves = [
    { at: soon(-HOUR_MS), count: now },
    { at: soon(HOUR_MS / 2), count: later },
  ];
  const pace = { kind: 'waves' as const, waves };
  const id = await rain.openRain({ packets: now + later, parts, opensInMs: -2 * HOUR_MS, pace });
  return { id, nextAtMs: Date.parse(waves[1]!.at) };
}

let crowds = 0;

/** Lets this many new users tap, and returns the number of each answer. */
async function crowd(id: string, size = 40): Promise<Record<string, number>> {
  crowds += 1;
  const users = Array.from({ length: size }, (_, i) => `crowd-${crowds}-${i}`);
  const outcomes = await Promise.all(users.map((user) => api.get(GrabService).grab(id, user)));
  const counts: Record<string, number> = {};
  for (const { kind } of outcomes) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

/** Redis loses the activity, which is loaded again. */
async function loseAndLoad(id: string, parts: number): Promise<void> {
  for (const place of dispensing.keys.placesOf({ id, parts })) await dispensing.contents.forget(place);
  await rain.loader.load(id);
}

/** Draws like a process that dies before it confirms. */
async function drawAndDie(id: string, parts: number, user: string): Promise<string> {
  if (parts === 1) return (await dispensing.draw(id, user))[0]!.kind;
  const { shard } = dispensing.keys.placeOfPart(id, homeOf(id, user, parts));
  const draw = { activityId: id, parts, userIds: [user] };
  const [answer] = await dispensing.reservations.drawFromParts(shard, [draw]);
  return answer!.outcomes[0]!.kind;
}

describe.each([1, 3])('a rain with a plan over %i parts', (parts) => {
  it('has as many winners as released packets after Redis has lost it, whether they were decided or not', async () => {
    const { id } = await pacedRain({ now: 9, later: 6, parts });
    expect((await api.get(GrabService).grab(id, 'early')).kind).toBe('won');
    expect(await drawAndDie(id, parts, 'undecided')).toBe('won');
    await loseAndLoad(id, parts);
    expect(await crowd(id)).toEqual({ won: 7, 'not-yet': 33 });
    await api.get(ConfirmService).beforeApplicationShutdown();
    await loseAndLoad(id, parts);
    expect(await crowd(id)).toEqual({ 'not-yet': 40 });
    expect((await api.get(GrabService).grab(id, 'undecided')).kind).toBe('already');
  });

  it('releases the packets of a top-up by their own plan, also after Redis has lost it', async () => {
    const { id } = await pacedRain({ now: 3, later: 6, parts });
    const pace = {
      kind: 'waves' as const,
      waves: [
        { at: soon(-HOUR_MS), count: 4 },
        { at: soon(HOUR_MS / 4), count: 5 },
      ],
    };
    await books.topUp(id, { packets: 9, pace }, api.get(ActivityTopUp));
    await rain.loader.extend(id);
    expect(await crowd(id)).toEqual({ won: 7, 'not-yet': 33 });
    await api.get(ConfirmService).beforeApplicationShutdown();
    await loseAndLoad(id, parts);
    expect(await crowd(id)).toEqual({ 'not-yet': 40 });
    await rain.topUp(id, { packets: 2 });
    expect(await crowd(id)).toEqual({ won: 2, 'not-yet': 38 });
  });

  it('releases the packets of a top-up without a plan at once', async () => {
    const { id, nextAtMs } = await pacedRain({ now: 3, later: 6, parts });
    expect(await crowd(id)).toEqual({ won: 3, 'not-yet': 37 });
    await rain.topUp(id, { packets: 3 });
    expect(await crowd(id)).toEqual({ won: 3, 'not-yet': 37 });
    expect(await api.get(GrabService).grab(id, 'late')).toMatchObject({ kind: 'not-yet', nextAtMs });
    expect(await codeOf(api.get(WaitlistService).join(id, 'late'))).toBe('waitlist.nothing_to_wait_for');
  });

  it('is sold out after the last release, and then has a waiting list', async () => {
    const pace = { kind: 'even' as const, until: soon(-HOUR_MS) };
    const id = await rain.openRain({ packets: 6, parts, opensInMs: -2 * HOUR_MS, pace });
    expect(await crowd(id)).toEqual({ won: 6, 'sold-out': 34 });
    expect(await api.get(WaitlistService).join(id, 'late')).toMatchObject({ position: 1 });
  });
});

it('no user is answered "sold-out" by parts whose packets are gone while another part still has packets to release', async () => {
  const { id, nextAtMs } = await pacedRain({ now: 2, later: 1, parts: 3 });
  expect(await crowd(id)).toEqual({ won: 2, 'not-yet': 38 });
  expect(await api.get(GrabService).grab(id, 'late')).toMatchObject({ kind: 'not-yet', nextAtMs });
});

it('the first of "already", "not-yet", "sold-out", "limit" and "won" is the answer', async () => {
  const limits = { perUser: 1, group: 'paced' };
  const grab = async (id: string, user: string) =>
    (await api.get(GrabService).grab(id, user, { hold: false, mayLimit: true })).kind;
  const earlier = await books.activity({ packets: 1, limits });
  const id = await books.activity({
    packets: 2,
    limits,
    opensInMs: -2 * HOUR_MS,
    pace: {
      kind: 'waves',
      waves: [
        { at: soon(-HOUR_MS), count: 1 },
        { at: soon(HOUR_MS / 2), count: 1 },
      ],
    },
  });
  for (const one of [earlier, id]) await rain.loader.load(one);
  expect(await grab(earlier, 'greedy')).toBe('won');
  expect(await grab(id, 'greedy')).toBe('limit');
  expect(await grab(id, 'ann')).toBe('won');
  expect(await grab(id, 'greedy')).toBe('not-yet');
  expect(await grab(id, 'ann')).toBe('already');
  expect(await grab(earlier, 'ann')).toBe('sold-out');
});

it('the packet that replaces a void one is released at once', async () => {
  const { id } = await pacedRain({ now: 1, later: 2, parts: 1 });
  await books.setStatus('robot', 'frozen');
  await books.settleConfirmed(await rain.grab(id, 'robot'));
  expect(await crowd(id)).toEqual({ 'not-yet': 40 });
  const [letter] = await books.letters.list('open', undefined, 1);
  await books.declareVoid(letter!.id);
  await rain.loader.extend(id);
  expect(await crowd(id)).toEqual({ won: 1, 'not-yet': 39 });
});
