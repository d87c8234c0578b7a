import fc from 'fast-check';
import { bucketOf, quantileMs, TIME_BUCKETS } from './tap-times';

const counted = (times: readonly number[]): number[] => {
  const counts = Array.from({ length: TIME_BUCKETS }, () => 0);
  for (const ms of times) counts[bucketOf(ms)]! += 1;
  return counts;
};

describe('a quantile of times that were counted in ranges', () => {
  it('lies within a factor of √2 of the true one', () => {
    const times = fc.array(fc.double({ min: 0.5, minExcluded: true, max: 20_000, noNaN: true }), {
      minLength: 1,
    });
    fc.assert(
      fc.property(times, fc.constantFrom(0.01, 0.5, 0.99, 1), (ms, share) => {
        const sorted = [...ms].sort((a, b) => a - b);
        const exact = sorted[Math.ceil(share * ms.length) - 1]!;
        const ratio = quantileMs(counted(ms), share)! / exact;
        // A tenth of a millisecond is rounded.
        expect(ratio).toBeGreaterThan(1 / Math.SQRT2 - 0.1);
        expect(ratio).toBeLessThan(Math.SQRT2 + 0.1);
      }),
    );
  });

  it('does not exist without times', () => {
    expect(quantileMs(counted([]), 0.5)).toBeNull();
  });

  it.each([0, 0.1, 60_000, Infinity])('has a range for %d ms', (ms) => {
    expect(counted([ms]).reduce((sum, count) => sum + count)).toBe(1);
  });
});
