import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { newSeed, PACKET_COUNT_MAX, splitAmount, TOTAL_MINOR_MAX } from '.';
import type { SplitPlan, SplitRequest } from '.';

const seeds = fc.nat().map((number) => number.toString(16).padStart(64, '0'));

/** Feasible requests: a total between count · min and count · max, with or without each bound. */
const randomRequests = fc
  .record({
    packetCount: fc.integer({ min: 1, max: 30 }),
    minMinor: fc.oneof(fc.bigInt({ min: 1n, max: 5n }), fc.bigInt({ min: 1n, max: 10n ** 12n })),
    width: fc.oneof(fc.bigInt({ min: 0n, max: 5n }), fc.bigInt({ min: 0n, max: 10n ** 13n })),
    position: fc.bigInt({ min: 0n, max: 1000n }),
    hasMin: fc.boolean(),
    hasMax: fc.boolean(),
    seed: seeds,
  })
  .map(({ packetCount, minMinor, width, position, hasMin, hasMax, seed }) => {
    const totalMinor = BigInt(packetCount) * minMinor + (BigInt(packetCount) * width * position) / 1000n;
    const maxMinor = hasMax ? minMinor + width : undefined;
    const plan = { kind: 'random', minMinor: hasMin ? minMinor : undefined, maxMinor } as const;
    return { totalMinor, packetCount, seed, plan };
  });

const tierRequests = fc
  .record({
    tiers: fc.array(
      fc.record({
        amountMinor: fc.bigInt({ min: 1n, max: 10n ** 9n }),
        count: fc.integer({ min: 1, max: 20 }),
      }),
      { minLength: 1, maxLength: 8 },
    ),
    seed: seeds,
  })
  .map(({ tiers, seed }) => ({
    totalMinor: tiers.reduce((sum, { amountMinor, count }) => sum + amountMinor * BigInt(count), 0n),
    packetCount: tiers.reduce((sum, { count }) => sum + count, 0),
    seed,
    plan: { kind: 'tiers', tiers } as const,
  }));

const equalRequests = randomRequests.map((request) => ({ ...request, plan: { kind: 'equal' } as const }));

const sum = (amounts: BigInt64Array) => amounts.reduce((total, amount) => total + amount, 0n);
const ascending = (amounts: Iterable<bigint>) => [...amounts].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));

describe('every split', () => {
  it('every split has the exact count and sum, and can be drawn again from its seed', () => {
    fc.assert(
      fc.property(fc.oneof(randomRequests, equalRequests, tierRequests), (request: SplitRequest) => {
        const amounts = splitAmount(request);
        expect(amounts).toHaveLength(request.packetCount);
        expect(sum(amounts)).toBe(request.totalMinor);
        expect(splitAmount(request)).toEqual(amounts);
      }),
      { numRuns: 500 },
    );
  });

  it.each<[string, SplitPlan]>([
    ['random', { kind: 'random' }],
    ['equal', { kind: 'equal' }],
    [
      'tiers',
      {
        kind: 'tiers',
        tiers: [
          { amountMinor: 1n, count: 50 },
          { amountMinor: 3n, count: 50 },
        ],
      },
    ],
  ])('a split of kind %s differs from seed to seed', (_, plan) => {
    const split = () =>
      splitAmount({
        totalMinor: plan.kind === 'equal' ? 250n : 200n,
        packetCount: 100,
        seed: newSeed(),
        plan,
      });
    expect(split()).not.toEqual(split());
  });

  it.each<SplitPlan>([{ kind: 'random' }, { kind: 'random', minMinor: 999_999_999n }, { kind: 'equal' }])(
    'a split is exact at the largest total and count: %p',
    (plan) => {
      const amounts = splitAmount({
        totalMinor: TOTAL_MINOR_MAX,
        packetCount: PACKET_COUNT_MAX,
        seed: newSeed(),
        plan,
      });
      expect(amounts).toHaveLength(PACKET_COUNT_MAX);
      expect(sum(amounts)).toBe(TOTAL_MINOR_MAX);
    },
  );
});

describe('a random split', () => {
  it('every packet of 20,000 random splits is within its bounds and at least one unit', () => {
    fc.assert(
      fc.property(randomRequests, (request) => {
        const { minMinor = 1n, maxMinor = request.totalMinor } = request.plan;
        const amounts = splitAmount(request);
        return (
          sum(amounts) === request.totalMinor &&
          amounts.every((amount) => amount >= minMinor && amount <= maxMinor)
        );
      }),
      { numRuns: 20_000 },
    );
  });

  it('a single packet gets the whole total', () => {
    expect([
      ...splitAmount({ totalMinor: 710n, packetCount: 1, seed: newSeed(), plan: { kind: 'random' } }),
    ]).toEqual([710n]);
  });

  it.each([
    [1n, undefined],
    [undefined, 1n],
  ])('all packets are equal if a bound equals the mean: min %p, max %p', (minMinor, maxMinor) => {
    const plan = { kind: 'random', minMinor, maxMinor } as const;
    expect([...splitAmount({ totalMinor: 5n, packetCount: 5, seed: newSeed(), plan })]).toEqual([
      1n,
      1n,
      1n,
      1n,
      1n,
    ]);
  });

  it('a max that is out of reach does not change a split', () => {
    const request = { totalMinor: 100_000n, packetCount: 200, seed: '7'.repeat(64) };
    expect(splitAmount({ ...request, plan: { kind: 'random', maxMinor: 10n ** 18n } })).toEqual(
      splitAmount({ ...request, plan: { kind: 'random' } }),
    );
  });
});

describe('an equal split', () => {
  it('amounts of an equal split differ by one unit at most', () => {
    fc.assert(
      fc.property(equalRequests, (request) => {
        const amounts = ascending(splitAmount(request));
        return amounts[amounts.length - 1]! - amounts[0]! <= 1n;
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('a split in tiers', () => {
  it('a split in tiers has exactly the amounts of the tiers', () => {
    fc.assert(
      fc.property(tierRequests, (request) => {
        const planned = request.plan.tiers.flatMap(({ amountMinor, count }) =>
          Array<bigint>(count).fill(amountMinor),
        );
        expect(ascending(splitAmount(request))).toEqual(ascending(planned));
      }),
      { numRuns: 1_000 },
    );
  });
});

/**
 * Amounts of recorded splits. After a failure no recorded split could be drawn again: undo the
 * change, or keep the old draw for old activities.
 */
describe('a recorded split', () => {
  const seed = createHash('sha256').update('a recorded split').digest('hex');
  const split = (totalMinor: bigint, packetCount: number, plan: SplitPlan) =>
    splitAmount({ totalMinor, packetCount, seed, plan });

  it.each<[SplitPlan, number[]]>([
    [{ kind: 'random' }, [142, 152, 102, 84, 71, 7, 67, 39, 132, 178, 26]],
    [{ kind: 'random', minMinor: 50n, maxMinor: 150n }, [91, 109, 126, 63, 98, 118, 50, 60, 67, 87, 131]],
    [{ kind: 'equal' }, [90, 91, 91, 91, 91, 91, 91, 91, 91, 91, 91]],
    [
      {
        kind: 'tiers',
        tiers: [
          { amountMinor: 1n, count: 6 },
          { amountMinor: 199n, count: 5 },
        ],
      },
      [199, 199, 1, 1, 199, 1, 1, 1, 1, 199, 199],
    ],
  ])('the recorded split is drawn again: %p', (plan, recorded) => {
    const amounts = split(plan.kind === 'tiers' ? 1001n : 1000n, 11, plan);
    expect([...amounts].map(Number)).toEqual(recorded);
  });

  it('a split over a hundred thousand packets is the recorded one', () => {
    const amounts = split(123_456_789n, 100_000, { kind: 'random' });
    expect(createHash('sha256').update(amounts.join()).digest('hex')).toBe(
      '1c99bf4d5173cb96e4e91b52220903823187723426893bb4fcda0c4e90cff70d',
    );
  });
});
