import fc from 'fast-check';
import { type Bounds, gather } from './gathering';

const credits = (...minors: number[]) =>
  minors.map((minor, i) => ({ claimId: String(i + 1), amountMinor: BigInt(minor) }));

interface Wish extends Partial<Bounds> {
  readonly balanceMinor?: bigint;
}

/** Payouts as their claims, such as `1+2`, and what is released. */
function gathered(minors: readonly number[], { balanceMinor = 1_000n, payoutsMax = 100, ...bounds }: Wish) {
  const { payouts, released } = gather(credits(...minors), balanceMinor, {
    smallestMinor: 1n,
    payoutsMax,
    ...bounds,
  });
  return { payouts: payouts.map(({ claimIds }) => claimIds.join('+')), released };
}

it.each<[string, number[], Wish, string[], string[]]>([
  ['leave together without a limit', [5, 5, 5], {}, ['1+2+3'], []],
  ['make no payout if there are none', [], {}, [], []],
  ['fill the largest payout exactly', [5, 5, 5], { largestMinor: 10n }, ['1+2', '3'], []],
  ['begin another payout above the largest', [5, 5, 1], { largestMinor: 9n }, ['1', '2+3'], []],
  ['are released alone above the largest', [5, 11, 5], { largestMinor: 10n }, ['1+3'], ['2']],
  ['of exactly the largest leave', [10, 10], { largestMinor: 10n }, ['1', '2'], []],
  ['of exactly the smallest leave', [4, 6], { smallestMinor: 10n }, ['1+2'], []],
  ['wait below the smallest', [4, 5], { smallestMinor: 10n }, [], []],
  ['fill the room of the day exactly', [5, 5], { roomMinor: 10n }, ['1+2'], []],
  [
    'share the room of the day among all payouts of it',
    [6, 5, 4],
    { largestMinor: 6n, roomMinor: 10n },
    ['1', '3'],
    [],
  ],
  ['wait where their user may have no more payouts', [5], { payoutsMax: 0 }, [], []],
  ['wait where the day has no room left', [5], { roomMinor: 0n }, [], []],
  ['wait where the day is overdrawn, because its limit was lowered', [5], { roomMinor: -3n }, [], []],
  ['leave while the wallet holds exactly their sum', [5, 5], { balanceMinor: 10n }, ['1+2'], []],
  ['are released where the wallet no longer holds them', [5, 5, 1], { balanceMinor: 9n }, ['1+3'], ['2']],
  [
    'that are released leave the wallet to others',
    [12, 5],
    { largestMinor: 10n, balanceMinor: 5n },
    ['2'],
    ['1'],
  ],
])('credits %s', (_, minors, wish, payouts, released) => {
  expect(gathered(minors, wish)).toEqual({ payouts, released });
});

it('credits leave at most once, in their order, within every bound, and no more than the wallet holds', () => {
  const minor = (max: number) => fc.bigInt({ min: 1n, max: BigInt(max) });
  const bounds = fc.record({
    smallestMinor: minor(20),
    largestMinor: fc.option(minor(60), { nil: undefined }),
    roomMinor: fc.option(minor(200), { nil: undefined }),
    payoutsMax: fc.nat({ max: 4 }),
  });
  fc.assert(
    fc.property(fc.array(minor(40), { maxLength: 12 }), minor(300), bounds, (minors, balance, limits) => {
      const all = minors.map((amountMinor, i) => ({ claimId: String(i), amountMinor }));
      const { payouts, released } = gather(all, balance, limits);
      const left = payouts.flatMap(({ claimIds }) => claimIds.map(Number));
      expect(left).toEqual([...new Set(left)].sort((a, b) => a - b));
      expect(left.filter((no) => released.includes(String(no)))).toEqual([]);
      const sumOf = (nos: readonly number[]) => nos.reduce((sum, no) => sum + minors[no]!, 0n);
      for (const { amountMinor, claimIds } of payouts) {
        expect(amountMinor).toBe(sumOf(claimIds.map(Number)));
        expect(amountMinor).toBeGreaterThanOrEqual(limits.smallestMinor);
        if (limits.largestMinor !== undefined) expect(amountMinor).toBeLessThanOrEqual(limits.largestMinor);
      }
      expect(sumOf(left)).toBeLessThanOrEqual(limits.roomMinor ?? balance);
      expect(sumOf(left)).toBeLessThanOrEqual(balance);
      expect(payouts.length).toBeLessThanOrEqual(limits.payoutsMax);
    }),
  );
});
