import fc from 'fast-check';
import { EVEN_MAX, type Pace, releasedBy } from '../../libs/pace';
import type { DrawOutcome, PacedBatch, PartOutcome } from '../../libs/redis-scripts';
import { packetsUpTo, pageOf, rains, shareRains } from '../harness/dispensing';

shareRains();

const HOUR_MS = 3_600_000;
const RUNS = 60;

/** No plan of a test begins before the epoch. */
const EPOCH_AGE_MS = 1e12;

/**
 * The instants at which the packets of a plan are released, one by one, computed without the script's
 * formula.
 */
function releasesOf(pace: Pace): number[] {
  if (pace.kind === 'waves')
    return pace.waves.flatMap(({ atMs, count }) => Array.from({ length: count }, () => atMs));
  const { count, fromMs, untilMs } = pace;
  const [n, length] = [BigInt(count), BigInt(untilMs - fromMs)];
  return Array.from({ length: count }, (_, i) => fromMs + Number((BigInt(i) * length + n - 1n) / n));
}

const countOf = (pace: Pace): number => releasesOf(pace).length;

/** The releases of a part, which holds the packets whose numbers have its remainder. */
const ofPart = (batches: readonly PacedBatch[], part: number): number[] =>
  batches
    .flatMap(({ pace, firstNo, parts }) => releasesOf(pace).filter((_, i) => (firstNo + i) % parts === part))
    .toSorted((a, b) => a - b);

const dueBy = (releases: readonly number[], nowMs: number): number =>
  releases.filter((atMs) => atMs <= nowMs).length;

interface Shape {
  readonly parts: number;
  readonly pace: Pace;
  /** The plans of added packets, in all parts or in the first. */
  readonly additions?: readonly { readonly pace: Pace; readonly isDealt: boolean }[];
  /** An instant of the plans, which is moved to about now. */
  readonly presentMs: number;
}

const even = fc
  .record({ count: fc.integer({ min: 1, max: 200 }), span: fc.double({ min: 0, max: 1, noNaN: true }) })
  .map(({ count, span }): Pace => {
    const untilMs = Math.max(1, Math.floor((span ** 8 * EVEN_MAX) / count / 100));
    return { kind: 'even', count, fromMs: 0, untilMs };
  });

const waves = fc
  .array(fc.record({ gapMs: fc.integer({ min: 1, max: HOUR_MS }), count: fc.integer({ min: 1, max: 20 }) }), {
    minLength: 1,
    maxLength: 9,
  })
  .map((steps): Pace => {
    let atMs = 0;
    return { kind: 'waves', waves: steps.map(({ gapMs, count }) => ({ atMs: (atMs += gapMs), count })) };
  });

/** Most tested instants are close to a release, where an off-by-one error would show. */
const shapes: fc.Arbitrary<Shape> = fc
  .record({
    pace: fc.oneof(even, waves),
    additions: fc.array(fc.record({ pace: fc.oneof(even, waves), isDealt: fc.boolean() }), { maxLength: 2 }),
    parts: fc.integer({ min: 1, max: 4 }),
    which: fc.nat(),
    offMs: fc.integer({ min: -4, max: 4 }),
  })
  .map(({ pace, additions, parts, which, offMs }) => {
    const releases = [pace, ...additions.map((addition) => addition.pace)].flatMap(releasesOf);
    const presentMs = Math.min(Math.max(0, releases[which % releases.length]! + offMs), EPOCH_AGE_MS);
    return { pace, additions, parts: Math.min(parts, countOf(pace)), presentMs };
  });

function movedBy(pace: Pace, ms: number): Pace {
  if (pace.kind === 'even') return { ...pace, fromMs: pace.fromMs + ms, untilMs: pace.untilMs + ms };
  return { ...pace, waves: pace.waves.map(({ atMs, count }) => ({ atMs: atMs + ms, count })) };
}

function batchesOf({ pace, additions = [], parts }: Shape, ms: number): PacedBatch[] {
  let firstNo = 1;
  return [{ pace, isDealt: true }, ...additions].map((batch) => {
    const placed = { pace: movedBy(batch.pace, ms), firstNo, parts: batch.isDealt ? parts : 1 };
    firstNo += countOf(batch.pace);
    return placed;
  });
}

/** Loads a rain whose plans began long enough ago for the tested instant to be now. */
async function loaded(shape: Shape) {
  const { parts, presentMs } = shape;
  const opensAtMs = (await rains.nowMs()) - presentMs;
  const batches = batchesOf(shape, opensAtMs);
  const closesAtMs = Math.max(...batches.flatMap(({ pace }) => releasesOf(pace))) + HOUR_MS;
  const id = rains.newActivity();
  for (let part = 0; part < parts; part++) {
    const place = rains.keys.placeOfPart(id, part);
    for (const [i, { pace, firstNo, parts: over }] of batches.entries()) {
      const [cursor, lastNo] = [firstNo - 1, firstNo - 1 + countOf(pace)];
      const own = packetsUpTo(lastNo).filter(({ no }) => no > cursor && no % over === part);
      const page = { ...pageOf(own), lastNo, paced: batches.slice(0, i + 1) };
      if (i > 0) await rains.loading.extend(place, cursor, page);
      else {
        await rains.loading.begin(place, { opensAtMs, closesAtMs, parts, paced: page.paced });
        await rains.loading.loadPackets(place, cursor, page);
        expect(await rains.loading.open(place, lastNo)).toBe('open');
      }
    }
  }
  return { id, batches, pace: batches[0]!.pace, closesAtMs };
}

let crowds = 0;
const crowd = (size: number): string[] => {
  crowds += 1;
  return Array.from({ length: size }, (_, i) => `c${crowds}-${i}`);
};

async function ask(
  id: string,
  part: number,
  parts: number,
  userIds: string[],
): Promise<(DrawOutcome | PartOutcome)[]> {
  if (parts === 1) return rains.draw(id, ...userIds);
  const { shard } = rains.keys.placeOfPart(id, part);
  const draw = { activityId: id, parts, sendTo: (part + 1) % parts, userIds };
  const [answer] = await rains.reservations.drawFromParts(shard, [draw]);
  return answer!.outcomes;
}

describe('a rain with a plan', () => {
  it('has as many winners as packets were released at each instant, in each part, and names the next release', async () => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(shapes, async (shape) => {
        const { id, batches, closesAtMs } = await loaded(shape);
        for (let part = 0; part < shape.parts; part++) {
          const releases = ofPart(batches, part);
          let won = 0;
          // The second crowd is answered by the gate that the first crowd opened.
          for (let look = 1; look <= 2; look++) {
            const beforeMs = await rains.nowMs();
            const outcomes = await ask(id, part, shape.parts, crowd(releases.length + 2));
            const afterMs = await rains.nowMs();
            won += outcomes.filter(({ kind }) => kind === 'won').length;
            expect(won).toBeGreaterThanOrEqual(dueBy(releases, beforeMs));
            expect(won).toBeLessThanOrEqual(dueBy(releases, afterMs));
            for (const { pace } of batches)
              expect(releasedBy(pace, afterMs)).toBe(dueBy(releasesOf(pace), afterMs));
            const others = outcomes.filter(({ kind }) => kind !== 'won');
            others.forEach(({ kind }) => seen.add(kind));
            const isOut = won === releases.length;
            if (isOut) expect(new Set(others.map(({ kind }) => kind))).not.toContain('not-yet');
            else
              for (const other of others)
                expect(other).toEqual({ kind: 'not-yet', nextAtMs: releases[won], closesAtMs });
          }
        }
      }),
      { numRuns: RUNS },
    );
    expect(seen).toEqual(new Set(['not-yet', 'sold-out', 'sent']));
  });

  const AHEAD: Pace = {
    kind: 'waves',
    waves: [
      { atMs: 0, count: 2 },
      { atMs: HOUR_MS, count: 3 },
    ],
  };

  it.each([
    [1, '3', []],
    [2, '3', []],
    [2, '4', [{ pace: AHEAD, isDealt: true }]],
  ])(
    'over %s parts has the format %s, which programs that do not know such plans leave alone',
    async (parts, format, additions) => {
      const { id } = await loaded({ pace: AHEAD, additions, parts, presentMs: 1_000 });
      for (let part = 0; part < parts; part++) {
        const { state } = rains.keys.at(rains.keys.placeOfPart(id, part));
        expect(await rains.redis.hget(state, 'format')).toBe(format);
      }
    },
  );

  it('hands a packet that comes back to the next user, and holds all others back', async () => {
    const { id } = await loaded({ pace: AHEAD, parts: 1, presentMs: 1_000 });
    const [first] = await rains.draw(id, 'ann', 'bob');
    expect((await rains.draw(id, 'cid'))[0]).toMatchObject({ kind: 'not-yet' });
    const { packet } = first as Extract<DrawOutcome, { kind: 'won' }>;
    await rains.release({ activityId: id, userId: 'ann', packet, fate: 'return' });
    expect((await rains.draw(id, 'cid', 'dan', 'ann')).map(({ kind }) => kind)).toEqual([
      ...['won', 'not-yet', 'not-yet'],
    ]);
  });

  it('opens a gate that lasts until the next release, and has no waiting list before the last release', async () => {
    const { id, pace } = await loaded({ pace: AHEAD, parts: 1, presentMs: 1_000 });
    const { gate } = rains.keys.activity(id);
    await rains.draw(id, 'ann', 'bob', 'cid');
    expect(await rains.redis.pexpiretime(gate)).toBe(releasesOf(pace)[2]! - 1);
    expect(await rains.draw(id, 'dan')).toMatchObject([{ kind: 'not-yet' }]);
    expect(await rains.waitingLists.join(id, 'cid')).toEqual({ kind: 'not-sold-out' });
  });

  it('is like any other rain after the last release: gated, sold out, and with a waiting list', async () => {
    const { id } = await loaded({ pace: AHEAD, parts: 1, presentMs: HOUR_MS + 1_000 });
    const { gate } = rains.keys.activity(id);
    await rains.draw(id, ...crowd(5));
    expect(await rains.redis.exists(gate)).toBe(1);
    expect(await rains.draw(id, 'ann')).toEqual([{ kind: 'sold-out' }]);
    expect(await rains.waitingLists.join(id, 'ann')).toMatchObject({ kind: 'waiting', position: 1 });
  });

  it('serves waiting users first as added packets are released', async () => {
    const { id, batches } = await loaded({ pace: AHEAD, parts: 1, presentMs: HOUR_MS + 1_000 });
    await rains.draw(id, ...crowd(5));
    for (const user of ['ann', 'bob', 'cid']) await rains.waitingLists.join(id, user);
    const added = { pace: movedBy(AHEAD, (await rains.nowMs()) - 1_000), firstNo: 6, parts: 1 };
    const page = { ...pageOf(packetsUpTo(10).slice(5)), paced: [...batches, added] };
    await rains.extend(id, 5, page);
    const answers = await rains.draw(id, 'ann', 'cid', 'dan');
    expect(answers).toMatchObject([
      { kind: 'won', waitedSince: expect.stringMatching(/^\d{16}$/) },
      { kind: 'not-yet' },
      { kind: 'not-yet' },
    ]);
    expect(await rains.waitingLists.assign(id, 10)).toMatchObject([{ userId: 'bob' }]);
    expect(await rains.waitingLists.assign(id, 10)).toEqual([]);
    for (const user of ['dan', 'eve']) await rains.waitingLists.join(id, user);
    expect(await rains.draw(id, 'fay')).toEqual([{ kind: 'sold-out' }]);
  });

  it('over parts is sold out for other users when waiting users will take all future packets', async () => {
    const { id, batches } = await loaded({ pace: AHEAD, parts: 2, presentMs: HOUR_MS + 1_000 });
    for (const part of [0, 1]) await ask(id, part, 2, crowd(5));
    const join = (user: string) => rains.waitingLists.join(id, user, 10, 2);
    for (const user of ['ann', 'bob', 'cid']) await join(user);
    const added = { pace: movedBy(AHEAD, (await rains.nowMs()) - 1_000), firstNo: 6, parts: 1 };
    const page = { ...pageOf(packetsUpTo(10).slice(5)), paced: [...batches, added] };
    await rains.extend(id, 5, page);
    expect(await ask(id, 0, 2, ['dan'])).toMatchObject([{ kind: 'not-yet' }]);
    for (const user of ['eve', 'fay', 'gus']) await join(user);
    expect(await ask(id, 0, 2, ['dan'])).toMatchObject([{ kind: 'sent' }]);
    expect(await rains.waitingLists.assign(id, 10)).toMatchObject([{ userId: 'ann' }, { userId: 'bob' }]);
    expect(await ask(id, 0, 2, ['hal'])).toMatchObject([{ kind: 'sent' }]);
  });

  it('holds back added packets behind a gate that was set before they were added', async () => {
    const id = await rains.rain(packetsUpTo(1));
    await rains.draw(id, 'ann', 'bob');
    expect(await rains.redis.exists(rains.keys.activity(id).gate)).toBe(1);
    const added = { pace: movedBy(AHEAD, (await rains.nowMs()) - 1_000), firstNo: 2, parts: 1 };
    const page = { ...pageOf(packetsUpTo(6).slice(1)), paced: [added] };
    await rains.extend(id, 1, page);
    expect((await rains.draw(id, 'bob', 'cid', 'dan')).map(({ kind }) => kind)).toEqual([
      ...['won', 'won', 'not-yet'],
    ]);
  });

  it('releases packets that were added without a plan at once', async () => {
    const { id } = await loaded({ pace: AHEAD, parts: 1, presentMs: 1_000 });
    const place = rains.keys.placeOf(id);
    await rains.draw(id, 'ann', 'bob');
    await rains.loading.announce(place, 7);
    expect(await rains.draw(id, 'cid')).toEqual([{ kind: 'not-loaded' }]);
    await rains.loading.extend(place, 5, pageOf(packetsUpTo(7).slice(5)));
    expect((await rains.draw(id, 'cid', 'dan', 'eve')).map(({ kind }) => kind)).toEqual([
      ...['won', 'won', 'not-yet'],
    ]);
  });
});
