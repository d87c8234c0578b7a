import { fixedAmounts, kindOf, type PacketBounds, type SplitPlan, type SplitSum } from './kinds';
import { atLeast, atMost, demand, isWholeFrom1, WHOLE } from './split-infeasible';

export const PACKET_COUNT_MAX = 1_000_000;

/**
 * The largest total, in minor units: far enough below 2^53 that every sum and product inside the
 * split is exact as a JavaScript number, which is several times faster than bigint.
 */
export const TOTAL_MINOR_MAX = 10n ** 15n;

/** The terms of a split, before any randomness. */
export interface SplitTerms extends SplitSum {
  readonly plan: SplitPlan;
}

/** @throws SplitInfeasible unless a split meets the terms; costs the same for any packetCount */
export function checkSplit(terms: SplitTerms): void {
  checkTotal(terms);
  kindOf(terms.plan).checkPlan(terms, terms.plan);
}

function checkTotal({ totalMinor, packetCount }: SplitSum): void {
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

/** Returns the bounds of feasible terms. */
export function packetBounds(terms: SplitTerms): PacketBounds {
  const kind = kindOf(terms.plan);
  if ('bounds' in kind) return kind.bounds(terms, terms.plan);
  const amounts = fixedAmounts(terms, terms.plan)!.map(({ amountMinor }) => amountMinor);
  return {
    leastMinor: amounts.reduce((a, b) => (a < b ? a : b)),
    mostMinor: amounts.reduce((a, b) => (a > b ? a : b)),
  };
}
