import { TapWatch } from '../../src/web/console/views/activities/live/taps';

const counts = (won: number, soldOut: number) => ({
  won,
  soldOut,
  already: 0,
  reserved: 0,
  notOpen: 0,
  notYet: 0,
  closed: 0,
  limit: 0,
  milliseconds: 10 * (won + soldOut),
});

describe('the figures of taps in the console', () => {
  it('never show more wins than taps, and show the right rate however often the page is drawn between two answers', () => {
    const watch = new TapWatch();
    const first = counts(65, 0);
    watch.figuresOf(first, 0);
    watch.figuresOf(first, 950);
    expect(watch.figuresOf(counts(167, 20), 1_020)).toEqual({
      all: 187,
      won: 167,
      soldOut: 20,
      perSecond: 120,
      winsPerSecond: 100,
      answeredInMs: 10,
      seen: [{ atMs: 1_020, perSecond: 120, winsPerSecond: 100 }],
    });
    const soon = watch.figuresOf(counts(500, 0), 1_100)!;
    expect(soon.won).toBeLessThanOrEqual(soon.all);
  });

  it('leave a gap in the curve while nobody looked, and keep one hour of it', () => {
    const watch = new TapWatch();
    for (let second = 0; second <= 3_600; second++) watch.figuresOf(counts(second, 0), second * 1000);
    const { seen } = watch.figuresOf(counts(9_000, 0), 3_700_000)!;
    expect(seen).toHaveLength(3_600);
    expect(seen[0]).toEqual({ atMs: 2_000, perSecond: 1, winsPerSecond: 1 });
    expect(seen.at(-1)).toEqual({ atMs: 3_700_000, perSecond: null, winsPerSecond: null });
  });
});
