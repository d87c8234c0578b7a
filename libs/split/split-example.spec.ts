import { exampleSplit, PACKET_COUNT_MAX, type SplitPlan } from '.';

const drawn = (totalMinor: bigint, packetCount: number, plan: SplitPlan) =>
  exampleSplit({ totalMinor, packetCount, plan });
const countOf = (split: ReturnType<typeof exampleSplit>) => split.reduce((sum, { count }) => sum + count, 0);

describe('an example of a split', () => {
  it('an example of a split without chance is the split itself', () => {
    expect(drawn(1000n, 3, { kind: 'equal' })).toEqual([
      { amountMinor: 333n, count: 2 },
      { amountMinor: 334n, count: 1 },
    ]);
    const tiers = [
      { amountMinor: 888n, count: 1 },
      { amountMinor: 10n, count: 5 },
      { amountMinor: 888n, count: 1 },
    ];
    expect(drawn(1826n, 7, { kind: 'tiers', tiers })).toEqual([
      { amountMinor: 10n, count: 5 },
      { amountMinor: 888n, count: 2 },
    ]);
  });

  it('an example of a small random split has all of its packets, and they add up to its total', () => {
    const split = drawn(10_000n, 100, { kind: 'random', minMinor: 50n });
    expect(countOf(split)).toBe(100);
    expect(split.reduce((sum, { amountMinor, count }) => sum + amountMinor * BigInt(count), 0n)).toBe(
      10_000n,
    );
    expect(split[0]!.amountMinor).toBeGreaterThanOrEqual(50n);
  });

  it.each<[string, bigint, SplitPlan]>([
    ['whose smallest amount is the mean', 7_000_000n, { kind: 'random', minMinor: 7n }],
    ['whose largest amount is nearly the mean', 6_999_999n, { kind: 'random', maxMinor: 7n }],
    ['of one unit each', 1_000_000n, { kind: 'random' }],
  ])(
    'an example of a million packets %s is far smaller than the packets themselves',
    (_, totalMinor, plan) => {
      const split = drawn(totalMinor, PACKET_COUNT_MAX, plan);
      expect(countOf(split)).toBe(2_000);
    },
  );
});
