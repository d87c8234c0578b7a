import { type AmountCount, fixedAmounts } from './kinds';
import { newSeed } from './keystream';
import { splitAmount } from './split';
import type { SplitTerms } from './split-terms';

/** Drawing this many takes about a millisecond, and shows the shape of a million. */
const DRAWN_MAX = 2_000;

/**
 * Returns the amounts that a split of these terms would have, in ascending order, and writes nothing. Random
 * amounts come from another draw, of at most {@link DRAWN_MAX} packets with the same mean and bounds; others
 * are those of the split.
 * @throws SplitInfeasible as the split itself
 */
export function exampleSplit(terms: SplitTerms): readonly AmountCount[] {
  return counted(fixedAmounts(terms, terms.plan) ?? drawnAmounts(terms));
}

function drawnAmounts(terms: SplitTerms): AmountCount[] {
  const amounts = splitAmount({ ...shrunk(terms), seed: newSeed() });
  return Array.from(amounts, (amountMinor) => ({ amountMinor, count: 1 }));
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

function counted(amounts: readonly AmountCount[]): AmountCount[] {
  const counts = new Map<bigint, number>();
  for (const { amountMinor, count } of amounts)
    counts.set(amountMinor, (counts.get(amountMinor) ?? 0) + count);
  return Array.from(counts, ([amountMinor, count]) => ({ amountMinor, count })).sort((a, b) =>
    a.amountMinor < b.amountMinor ? -1 : 1,
  );
}
