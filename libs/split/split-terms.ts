import { invariant } from '../invariant';

export const PACKET_COUNT_MAX = 1_000_000;

/**
 * The largest total, in minor units: far enough below 2^53 that every sum and product inside the
 * split is exact as a JavaScript number, which is several times faster than bigint.
 */
export const TOTAL_MINOR_MAX = 10n ** 15n;

export interface Tier {
  readonly amountMinor: bigint;
  readonly count: number;
}

export type SplitPlan =
  | { readonly kind: 'random'; readonly minMinor?: bigint; readonly maxMinor?: bigint }
  | { readonly kind: 'equal' }
  | { readonly kind: 'tiers'; readonly tiers: readonly Tier[] };

/** The terms of a split, before any randomness. */
export interface SplitTerms {
  readonly totalMinor: bigint;
  readonly packetCount: number;
  readonly plan: SplitPlan;
}

export type SplitField = 'totalAmount' | 'packetCount' | 'split.min' | 'split.max' | 'split.tiers';

/** The rule of the API that the terms break. Its figure is an amount in minor units. */
export type BrokenRule =
  | { readonly rule: 'whole-number' }
  | { readonly rule: 'minimum' | 'maximum'; readonly limitMinor: bigint; readonly other?: SplitField }
  | { readonly rule: 'sum'; readonly of: 'count' | 'amount'; readonly other: SplitField };

/** `field` is the API's name of the field to change; `reason` continues the sentence from it. */
export class SplitInfeasible extends Error {
  override readonly name = 'SplitInfeasible';

  constructor(
    readonly field: SplitField,
    readonly reason: string,
    readonly broken: BrokenRule,
  ) {
    super(`${field} ${reason}`);
  }
}

/** @throws SplitInfeasible unless a split meets the terms; costs the same for any packetCount */
export function checkSplit(terms: SplitTerms): void {
  checkTotal(terms);
  const { plan } = terms;
  switch (plan.kind) {
    case 'random':
      return checkBounds(terms, plan.minMinor ?? 1n, plan.maxMinor ?? terms.totalMinor);
    case 'equal':
      return;
    case 'tiers':
      return checkTiers(terms, plan.tiers);
    default:
      invariant(false, () => `No split plan is called "${(plan as { kind: string }).kind}".`);
  }
}

function checkTotal({ totalMinor, packetCount }: SplitTerms): void {
  demand(
    isWholeFrom1(packetCount) && packetCount <= PACKET_COUNT_MAX,
    'packetCount',
    `must be a whole number from 1 to ${PACKET_COUNT_MAX}`,
    WHOLE,
  );
  demand(totalMinor >= 1n, 'totalAmount', 'must be positive', atLeast(1n));
  demand(
    totalMinor <= TOTAL_MINOR_MAX,
    'totalAmount',
    `must be at most ${TOTAL_MINOR_MAX} minor units`,
    atMost(TOTAL_MINOR_MAX),
  );
  demand(
    totalMinor >= BigInt(packetCount),
    'totalAmount',
    'must be at least one minor unit for each packet',
    atLeast(BigInt(packetCount)),
  );
}

function checkBounds({ totalMinor, packetCount }: SplitTerms, minMinor: bigint, maxMinor: bigint): void {
  const count = BigInt(packetCount);
  const [down, up] = [totalMinor / count, (totalMinor + count - 1n) / count];
  demand(minMinor >= 1n, 'split.min', 'must be at least one minor unit', atLeast(1n));
  demand(maxMinor >= 1n, 'split.max', 'must be at least one minor unit', atLeast(1n));
  demand(minMinor <= down, 'split.min', 'must be at most totalAmount / packetCount', atMost(down));
  demand(minMinor <= maxMinor, 'split.min', 'must not be above split.max', atMost(maxMinor, 'split.max'));
  demand(maxMinor >= up, 'split.max', 'must be at least totalAmount / packetCount', atLeast(up));
}

function checkTiers({ totalMinor, packetCount }: SplitTerms, tiers: readonly Tier[]): void {
  let count = 0n;
  let sumMinor = 0n;
  for (const tier of tiers) {
    demand(isWholeFrom1(tier.count), 'split.tiers', 'must have whole counts of at least 1', WHOLE);
    demand(
      tier.amountMinor >= 1n,
      'split.tiers',
      'must have amounts of at least one minor unit',
      atLeast(1n),
    );
    count += BigInt(tier.count);
    sumMinor += tier.amountMinor * BigInt(tier.count);
  }
  demand(count === BigInt(packetCount), 'split.tiers', 'must have counts that add up to packetCount', {
    rule: 'sum',
    of: 'count',
    other: 'packetCount',
  });
  demand(sumMinor === totalMinor, 'split.tiers', 'must have amounts that add up to totalAmount', {
    rule: 'sum',
    of: 'amount',
    other: 'totalAmount',
  });
}

/** The least and the most that one packet may hold, in minor units. */
export interface Bounds {
  readonly min: number;
  readonly max: number;
}

/** Returns the bounds of feasible terms: one minor unit and the total, where the plan has none. */
export function boundsMinor({ totalMinor, plan }: SplitTerms): Bounds {
  const given: { minMinor?: bigint; maxMinor?: bigint } = plan.kind === 'random' ? plan : {};
  const { minMinor = 1n, maxMinor = totalMinor } = given;
  return { min: Number(minMinor), max: Number(maxMinor < totalMinor ? maxMinor : totalMinor) };
}

/** The smallest and the largest packet that feasible terms can deal, in minor units. */
export interface PacketBounds {
  readonly leastMinor: bigint;
  readonly mostMinor: bigint;
}

export function packetBounds(terms: SplitTerms): PacketBounds {
  const { totalMinor, plan } = terms;
  const count = BigInt(terms.packetCount);
  switch (plan.kind) {
    case 'random':
      return randomBounds(totalMinor, count, plan.minMinor ?? 1n, plan.maxMinor ?? totalMinor);
    case 'equal':
      return { leastMinor: totalMinor / count, mostMinor: (totalMinor + count - 1n) / count };
    case 'tiers': {
      const amounts = plan.tiers.map(({ amountMinor }) => amountMinor);
      return {
        leastMinor: amounts.reduce((a, b) => (a < b ? a : b)),
        mostMinor: amounts.reduce((a, b) => (a > b ? a : b)),
      };
    }
  }
}

/** A packet may be so small or so large that all others have the other bound. */
function randomBounds(totalMinor: bigint, count: bigint, min: bigint, max: bigint): PacketBounds {
  const least = totalMinor - (count - 1n) * max;
  const most = totalMinor - (count - 1n) * min;
  return { leastMinor: least > min ? least : min, mostMinor: most < max ? most : max };
}

function isWholeFrom1(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 1;
}

const WHOLE: BrokenRule = { rule: 'whole-number' };
const atLeast = (limitMinor: bigint): BrokenRule => ({ rule: 'minimum', limitMinor });
const atMost = (limitMinor: bigint, other?: SplitField): BrokenRule => ({
  rule: 'maximum',
  limitMinor,
  other,
});

function demand(
  condition: boolean,
  field: SplitField,
  reason: string,
  broken: BrokenRule,
): asserts condition {
  if (!condition) throw new SplitInfeasible(field, reason, broken);
}
