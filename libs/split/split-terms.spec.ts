import { checkSplit, newSeed, PACKET_COUNT_MAX, splitAmount, SplitInfeasible, TOTAL_MINOR_MAX } from '.';
import type { SplitField, SplitPlan, SplitTerms } from '.';
import { InvariantViolation } from '../invariant';

const random = (minMinor?: bigint, maxMinor?: bigint): SplitPlan => ({ kind: 'random', minMinor, maxMinor });
const tiers = (...pairs: [bigint, number][]): SplitPlan => ({
  kind: 'tiers',
  tiers: pairs.map(([amountMinor, count]) => ({ amountMinor, count })),
});
const terms = (totalMinor: bigint, packetCount: number, plan: SplitPlan = random()): SplitTerms => ({
  totalMinor,
  packetCount,
  plan,
});

describe('terms that no split can meet', () => {
  it.each<[SplitField, string, SplitTerms]>([
    ['packetCount', 'zero packets', terms(100n, 0)],
    ['packetCount', 'a negative count', terms(100n, -1)],
    ['packetCount', 'one and a half packets', terms(100n, 1.5)],
    ['packetCount', 'NaN packets', terms(100n, NaN)],
    ['packetCount', 'one packet more than the maximum', terms(TOTAL_MINOR_MAX, PACKET_COUNT_MAX + 1)],
    ['packetCount', 'a billion packets', terms(TOTAL_MINOR_MAX, 1e9)],
    ['totalAmount', 'a total of zero', terms(0n, 1)],
    ['totalAmount', 'a negative total', terms(-5n, 1)],
    ['totalAmount', 'one unit more than the maximum', terms(TOTAL_MINOR_MAX + 1n, 10)],
    ['totalAmount', 'less than one unit for each packet', terms(9n, 10)],
    ['totalAmount', 'less than one unit for each equal packet', terms(9n, 10, { kind: 'equal' })],
    ['split.min', 'a min of zero', terms(100n, 10, random(0n))],
    ['split.min', 'a negative min', terms(100n, 10, random(-1n))],
    ['split.min', 'a min above max', terms(100n, 10, random(5n, 4n))],
    ['split.min', 'a min that needs more than the total', terms(100n, 10, random(11n))],
    ['split.max', 'a max of zero', terms(100n, 10, random(undefined, 0n))],
    ['split.max', 'a max that cannot hold the total', terms(101n, 10, random(undefined, 10n))],
    ['split.tiers', 'no tiers', terms(100n, 10, tiers())],
    ['split.tiers', 'too few packets', terms(100n, 10, tiers([10n, 9]))],
    ['split.tiers', 'too many packets', terms(100n, 10, tiers([5n, 10], [10n, 5]))],
    ['split.tiers', 'a sum below the total', terms(100n, 10, tiers([10n, 9], [9n, 1]))],
    ['split.tiers', 'a sum above the total', terms(100n, 10, tiers([10n, 9], [11n, 1]))],
    ['split.tiers', 'a tier of zero', terms(100n, 10, tiers([10n, 10], [10n, 0]))],
    [
      'split.tiers',
      'a negative tier that makes up for another',
      terms(100n, 10, tiers([10n, 11], [10n, -1])),
    ],
    ['split.tiers', 'half a packet', terms(100n, 10, tiers([10n, 9.5], [10n, 0.5]))],
    ['split.tiers', 'an amount of zero', terms(100n, 10, tiers([20n, 5], [0n, 5]))],
    ['split.tiers', 'a negative amount', terms(100n, 10, tiers([21n, 5], [-1n, 5]))],
  ])('are refused before anything is drawn, and %s is blamed for %s', (field, _, request) => {
    const refusal = expect.objectContaining({
      name: 'SplitInfeasible',
      field,
      reason: expect.stringMatching(/^must /),
      broken: expect.objectContaining({ rule: expect.any(String) }),
    });
    expect(refusalOf(() => checkSplit(request))).toEqual(refusal);
    expect(refusalOf(() => splitAmount({ ...request, seed: newSeed() }))).toEqual(refusal);
  });

  it('each fault of impossible terms is refused in one sentence', () => {
    expect(refusalOf(() => checkSplit(terms(9n, 10)))?.message).toBe(
      'totalAmount must be at least one minor unit for each packet',
    );
  });
});

describe('terms at the edge of what is possible', () => {
  it.each<[string, SplitTerms]>([
    ['one packet', terms(1n, 1)],
    ['one unit for each packet', terms(10n, 10)],
    ['the largest total and count', terms(TOTAL_MINOR_MAX, PACKET_COUNT_MAX)],
    ['min equal to the mean', terms(100n, 10, random(10n))],
    ['max equal to the mean', terms(100n, 10, random(undefined, 10n))],
    ['min and max equal to the mean', terms(100n, 10, random(10n, 10n))],
    ['a max far above the total', terms(100n, 10, random(undefined, 10n ** 18n))],
    ['tiers that fit exactly', terms(100n, 10, tiers([10n, 9], [10n, 1]))],
  ])('are accepted: %s', (_, request) => {
    expect(() => checkSplit(request)).not.toThrow();
  });
});

it('a plan of an unknown kind is a bug, not a refusal', () => {
  expect(() => checkSplit(terms(100n, 10, { kind: 'lottery' } as never))).toThrow(InvariantViolation);
});

function refusalOf(action: () => void): SplitInfeasible | undefined {
  try {
    action();
    return undefined;
  } catch (error) {
    if (error instanceof SplitInfeasible) return error;
    throw error;
  }
}
