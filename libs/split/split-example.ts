import { newSeed } from './keystream';
import { splitAmount } from './split';
import type { SplitTerms } from './split-terms';

/** Drawing this many takes about a millisecond, and shows the shape of a million. */
const DRAWN_MAX = 2_000;

export interface AmountCount {
  readonly amountMinor: bigint;
  readonly count: number;
}

/**
 * Returns the amounts that a split of these terms would have, in ascending order, and writes
 * nothing. Random ones come from another draw, of at most {@link DRAWN_MAX} packets with the same
 * mean and bounds; others are those of the split.
 * @throws SplitInfeasible as the split itself
 */
export function exampleSplit(terms: SplitTerms): readonly AmountCount[] {
  const { plan, totalMinor, packetCount } = terms;
  switch (plan.kind) {
    case 'tiers':
      return counted(plan.tiers.map(({ amountMinor, count }) => [amountMinor, count]));
    case 'equal': {
      const share = totalMinor / BigInt(packetCount);
      const larger = Number(totalMinor % BigInt(packetCount));
      return counted([
        [share, packetCount - larger],
        [share + 1n, larger],
      ]);
    }
    case 'random':
      return counted(Array.from(splitAmount({ ...shrunk(terms), seed: newSeed() }), (amount) => [amount, 1]));
  }
}

/** The total is rounded down: it stays within the bounds, whose ends are whole. */
function shrunk(terms: SplitTerms): SplitTerms {
  const packetCount = Math.min(terms.packetCount, DRAWN_MAX);
  return {
    ...terms,
    packetCount,
    totalMinor: (terms.totalMinor * BigInt(packetCount)) / BigInt(terms.packetCount),
  };
}

function counted(pairs: readonly (readonly [bigint, number])[]): AmountCount[] {
  const counts = new Map<bigint, number>();
  for (const [amount, count] of pairs) if (count > 0) counts.set(amount, (counts.get(amount) ?? 0) + count);
  return Array.from(counts, ([amountMinor, count]) => ({ amountMinor, count })).sort((a, b) =>
    a.amountMinor < b.amountMinor ? -1 : 1,
  );
}
