/** Two samples of one kind, such as the durations of two sorts of request to one operation. */
export interface Stratum {
  readonly one: readonly number[];
  readonly other: readonly number[];
}

interface RankSum {
  /** How far the ranks of the first sample are above what chance would give. */
  readonly excess: number;
  readonly variance: number;
  readonly count: number;
}

function rankSum({ one, other }: Stratum): RankSum {
  const all = [...one.map((value) => ({ value, isOne: 1 })), ...other.map((value) => ({ value, isOne: 0 }))];
  all.sort((a, b) => a.value - b.value);
  const count = all.length;
  let sum = 0;
  let ties = 0;
  for (let from = 0, to = 0; from < count; from = to) {
    while (to < count && all[to]!.value === all[from]!.value) to += 1;
    const rank = (from + 1 + to) / 2;
    for (let i = from; i < to; i++) sum += rank * all[i]!.isOne;
    ties += (to - from) ** 3 - (to - from);
  }
  const product = one.length * other.length;
  const variance = (product / 12) * (count + 1 - ties / (count * (count - 1)));
  return { excess: sum - (one.length * (count + 1)) / 2, variance, count };
}

/**
 * The Mann–Whitney test over several kinds at once, with van Elteren's weights. Without a difference the
 * result is standard normal: it is beyond ±3.3 once in a thousand runs.
 */
export function zOf(strata: readonly Stratum[]): number {
  const sums = strata.filter(({ one, other }) => one.length > 0 && other.length > 0).map(rankSum);
  const excess = sums.reduce((total, sum) => total + sum.excess / (sum.count + 1), 0);
  const variance = sums.reduce((total, sum) => total + sum.variance / (sum.count + 1) ** 2, 0);
  return variance === 0 ? 0 : excess / Math.sqrt(variance);
}
