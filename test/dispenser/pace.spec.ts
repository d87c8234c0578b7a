import fc from 'fast-check';
import { EVEN_MAX, type Pace, releasedBy } from '../../libs/pace';
import type { DrawOutcome, PartOutcome } from '../../libs/redis-scripts';
import { packetsUpTo, pageOf, rains, shareRains } from '../harness/dispensing';

shareRains();

const HOUR_MS = 3_600_000;
const RUNS = 60;

/** No plan of a test begins before the epoch. */
const EPOCH_AGE_MS = 1e12;

/** When each packet of a plan is released, one after the other, and by no formula of the script. */
function releasesOf(pace: Pace): number[] {
  if (pace.kind === 'waves')
    return pace.waves.flatMap(({ atMs, count }) => Array.from({ length: count }, () => atMs));
  const { count, fromMs, untilMs } = pace;
  const [n, length] = [BigInt(count), BigInt(untilMs - fromMs)];
  return Array.from({ length: count }, (_, i) => fromMs + Number((BigInt(i) * length + n - 1n) / n));
}

const countOf = (pace: Pace): number => releasesOf(pace).length;

/** The part gets packets in the order of their numbers, and holds those of its remainder. */
const ofPart = (pace: Pace, part: number, parts: number): number[] =>
  releasesOf(pace).filter((_, i) => (i + 1) % parts === part);

const dueBy = (releases: readonly number[], nowMs: number): number =>
  releases.filter((atMs) => atMs <= nowMs).length;

interface Shape {
  readonly parts: number;
  readonly pace: Pace;
  /** An instant of the plan, which is made to be about now. */
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

/** Most presents are about a release, where being one off would show. */
const shapes: fc.Arbitrary<Shape> = fc
  .record({
    pace: fc.oneof(even, waves),
    parts: fc.integer({ min: 1, max: 4 }),
    which: fc.nat(),
    offMs: fc.integer({ min: -4, max: 4 }),
  })
  .map(({ pace, parts, which, offMs }) => {
    const releases = releasesOf(pace);
    const presentMs = Math.min(Math.max(0, releases[which % releases.length]! + offMs), EPOCH_AGE_MS);
    return { pace, parts: Math.min(parts, releases.length), presentMs };
  });

function movedBy(pace: Pace, ms: number): Pace {
  if (pace.kind === 'even') return { ...pace, fromMs: pace.fromMs + ms, untilMs: pace.untilMs + ms };
  return { ...pace, waves: pace.waves.map(({ atMs, count }) => ({ atMs: atMs + ms, count })) };
}

/** Loads a rain whose plan began so long ago that the present is now. */
async function loaded({ pace: shape, parts, presentMs }: Shape) {
  const opensAtMs = (await rains.nowMs()) - presentMs;
  const pace = movedBy(shape, opensAtMs);
  const closesAtMs = Math.max(...releasesOf(pace)) + HOUR_MS;
  const id = rains.newActivity();
  for (let part = 0; part < parts; part++) {
    const place = rains.keys.placeOfPart(id, part);
    await rains.loading.begin(place, { opensAtMs, closesAtMs, parts, pace });
    const own = packetsUpTo(countOf(pace)).filter(({ no }) => no % parts === part);
    await rains.loading.loadPackets(place, 0, { ...pageOf(own), lastNo: countOf(pace) });
    expect(await rains.loading.open(place, countOf(pace))).toBe('open');
  }
  return { id, pace, closesAtMs };
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
  it('has at each instant as many winners as its plan has released, in each part by itself, and names the next release', async () => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(shapes, async (shape) => {
        const { id, pace, closesAtMs } = await loaded(shape);
        for (let part = 0; part < shape.parts; part++) {
          const releases = ofPart(pace, part, shape.parts);
          let won = 0;
          // The second crowd is answered by the gate that the first one has opened.
          for (let look = 1; look <= 2; look++) {
            const beforeMs = await rains.nowMs();
            const outcomes = await ask(id, part, shape.parts, crowd(releases.length + 2));
            const afterMs = await rains.nowMs();
            won += outcomes.filter(({ kind }) => kind === 'won').length;
            expect(won).toBeGreaterThanOrEqual(dueBy(releases, beforeMs));
            expect(won).toBeLessThanOrEqual(dueBy(releases, afterMs));
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

  it.each([1, 2])('over %s parts has a format that programs without plans leave alone', async (parts) => {
    const { id } = await loaded({ pace: AHEAD, parts, presentMs: 1_000 });
    for (let part = 0; part < parts; part++) {
      const { state } = rains.keys.at(rains.keys.placeOfPart(id, part));
      expect(await rains.redis.hget(state, 'format')).toBe('3');
    }
  });

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

  it('opens a gate that lasts until the next release, and lets nobody wait before the last one', async () => {
    const { id, pace } = await loaded({ pace: AHEAD, parts: 1, presentMs: 1_000 });
    const { gate } = rains.keys.activity(id);
    await rains.draw(id, 'ann', 'bob', 'cid');
    expect(await rains.redis.pexpiretime(gate)).toBe(releasesOf(pace)[2]! - 1);
    expect(await rains.draw(id, 'dan')).toMatchObject([{ kind: 'not-yet' }]);
    expect(await rains.waitingLists.join(id, 'cid')).toEqual({ kind: 'not-sold-out' });
  });

  it('is like any other after the last release: with a gate, sold out, and with a waiting list', async () => {
    const { id } = await loaded({ pace: AHEAD, parts: 1, presentMs: HOUR_MS + 1_000 });
    const { gate } = rains.keys.activity(id);
    await rains.draw(id, ...crowd(5));
    expect(await rains.redis.exists(gate)).toBe(1);
    expect(await rains.draw(id, 'ann')).toEqual([{ kind: 'sold-out' }]);
    expect(await rains.waitingLists.join(id, 'ann')).toMatchObject({ kind: 'waiting', position: 1 });
  });

  it('is released at once as far as packets were added to it', async () => {
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
