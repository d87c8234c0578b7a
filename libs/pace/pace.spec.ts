import fc from 'fast-check';
import { EVEN_MAX, type Pace, paceOf, paceTerms, releasedBy, waveFaultAt } from '.';

const FROM_MS = Date.UTC(2031, 1, 3, 12);
const even: Pace = { kind: 'even', count: 10, fromMs: FROM_MS, untilMs: FROM_MS + 1_000 };
const waves: Pace = {
  kind: 'waves',
  waves: [
    { atMs: FROM_MS, count: 3 },
    { atMs: FROM_MS + 500, count: 1 },
    { atMs: FROM_MS + 60_000, count: 6 },
  ],
};

it.each([
  [
    'even',
    even,
    { '-3600000': 0, '-1': 0, 0: 1, 99: 1, 100: 2, 899: 9, 900: 10, 999: 10, 1_000: 10, 86_400_000: 10 },
  ],
  ['waves', waves, { '-3600000': 0, '-1': 0, 0: 3, 499: 3, 500: 4, 59_999: 4, 60_000: 10, 86_400_000: 10 }],
] as const)('the pace "%s" has released what it promises by each millisecond', (_, pace, released) => {
  const found = Object.keys(released).map((ms) => [ms, releasedBy(pace, FROM_MS + Number(ms))]);
  expect(Object.fromEntries(found)).toEqual(released);
});

it('an even pace releases exactly, up to the largest product of packets and milliseconds', () => {
  const anyPace = fc
    .integer({ min: 1, max: 1_000_000 })
    .chain((count) => fc.tuple(fc.constant(count), fc.integer({ min: 1, max: Math.floor(EVEN_MAX / count) })))
    .chain(([count, ms]) =>
      fc.tuple(fc.constant(count), fc.constant(ms), fc.integer({ min: 0, max: ms - 1 })),
    );
  fc.assert(
    fc.property(anyPace, ([count, lengthMs, afterMs]) => {
      const pace: Pace = { kind: 'even', count, fromMs: FROM_MS, untilMs: FROM_MS + lengthMs };
      const exact = (BigInt(count) * BigInt(afterMs)) / BigInt(lengthMs) + 1n;
      expect(BigInt(releasedBy(pace, FROM_MS + afterMs))).toBe(exact < count ? exact : BigInt(count));
      expect(releasedBy(pace, FROM_MS + lengthMs)).toBe(count);
    }),
  );
});

it('a pace is published as text, from which every reader gets the same pace', () => {
  expect(paceTerms(even)).toEqual({
    kind: 'even',
    from: '2031-02-03T12:00:00.000Z',
    until: '2031-02-03T12:00:01.000Z',
  });
  expect(paceTerms(waves)).toEqual({
    kind: 'waves',
    waves: [
      { at: '2031-02-03T12:00:00.000Z', count: '3' },
      { at: '2031-02-03T12:00:00.500Z', count: '1' },
      { at: '2031-02-03T12:01:00.000Z', count: '6' },
    ],
  });
  for (const pace of [even, waves]) expect(paceOf(paceTerms(pace), 10)).toEqual(pace);
});

it.each([
  ['before the opening', [-1, 5], ['before-opening', undefined]],
  ['at the opening and in the last millisecond', [0, 9], [undefined, undefined]],
  ['at the close', [0, 10], [undefined, 'not-before-close']],
  ['at the instant of the wave before it', [3, 3, 4], [undefined, 'not-after-previous', undefined]],
] as const)('a wave %s is judged by its window and by the wave before it', (_, waves, faults) => {
  const atMs = waves.map((ms) => ({ atMs: FROM_MS + ms }));
  const window = { opensAtMs: FROM_MS, closesAtMs: FROM_MS + 10 };
  expect(atMs.map((_, i) => waveFaultAt(atMs, i, window))).toEqual(faults);
});
