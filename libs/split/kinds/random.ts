import { atLeast, atMost, demand } from '../split-infeasible';
import type { DrawnKind, SplitSum } from './split-kind';

export interface RandomPlan {
  readonly kind: 'random';
  /** One minor unit, unless given. */
  readonly minMinor?: bigint;
  /** The total, unless given. */
  readonly maxMinor?: bigint;
}

/** Drawn one by one, around the mean of what is left. */
export const random: DrawnKind<RandomPlan> = {
  checkPlan(sum, plan) {
    const { minMinor, maxMinor } = withDefaults(sum, plan);
    const count = BigInt(sum.packetCount);
    const [down, up] = [sum.totalMinor / count, (sum.totalMinor + count - 1n) / count];
    demand(minMinor >= 1n, 'split.min', 'must be at least one minor unit', atLeast(1n));
    demand(maxMinor >= 1n, 'split.max', 'must be at least one minor unit', atLeast(1n));
    demand(minMinor <= down, 'split.min', 'must be at most totalAmount / packetCount', atMost(down));
    demand(minMinor <= maxMinor, 'split.min', 'must not be above split.max', atMost(maxMinor, 'split.max'));
    demand(maxMinor >= up, 'split.max', 'must be at least totalAmount / packetCount', atLeast(up));
  },

  publishPlan: ({ minMinor, maxMinor }, money) => ({
    ...(minMinor !== undefined && { min: money(minMinor) }),
    ...(maxMinor !== undefined && { max: money(maxMinor) }),
  }),

  readPlan({ min, max }, minor) {
    const [minMinor, maxMinor] = [min, max].map((text) => (text === undefined ? undefined : minor(text)));
    return { minMinor, maxMinor };
  },

  /** A packet may be so small or so large that all others have the other bound. */
  bounds(sum, plan) {
    const { minMinor, maxMinor } = withDefaults(sum, plan);
    const others = BigInt(sum.packetCount) - 1n;
    const least = sum.totalMinor - others * maxMinor;
    const most = sum.totalMinor - others * minMinor;
    return { leastMinor: least > minMinor ? least : minMinor, mostMinor: most < maxMinor ? most : maxMinor };
  },

  /**
   * One draw in whole units. The mean and d are seldom whole, so `reach` is d rounded down, and
   *
   *     amount = floor((rest − reach · left + u) / left)
   *
   * where u is uniform on 0 … (2 · reach + 1) · left − 1.
   *
   * For a whole mean these are the 2 · reach + 1 integers around it, equally likely. For a mean between q and
   * q + 1 there is one integer more, from q − reach to q + 1 + reach; the two at the ends share the
   * probability of one, in just the proportion that makes the expected amount exactly rest / left, not a
   * rounding of it. A rounded mean would favour or starve the last user.
   *
   * The rest always stays feasible. The largest amount, q + 1 + reach, leaves at least (left − 1) ·
   * min: with reach ≤ q − min and rest ≥ q · left + 1 there remain at least (q − min) · (left − 2)
   * units above that. The smallest amount mirrors it for max. So the last packet, which takes what is
   * left, is within bounds too.
   *
   * Numbers are exact: nothing exceeds 2 · rest + left < 2^53, and the floor (or ceiling) of a
   * quotient of two such integers is exact although the quotient is rounded.
   */
  drawInto(amounts, sum, plan, values) {
    const { minMinor, maxMinor } = withDefaults(sum, plan);
    const min = Number(minMinor);
    const max = Number(maxMinor < sum.totalMinor ? maxMinor : sum.totalMinor);
    const last = amounts.length - 1;
    let rest = Number(sum.totalMinor);
    for (let index = 0; index < last; index++) {
      const left = amounts.length - index;
      const mean = rest / left;
      const reach = Math.min(Math.floor(mean) - min, max - Math.ceil(mean));
      const amount = Math.floor((rest - reach * left + values.below((2 * reach + 1) * left)) / left);
      amounts[index] = amount;
      rest -= amount;
    }
    amounts[last] = rest;
  },
};

const withDefaults = ({ totalMinor }: SplitSum, { minMinor = 1n, maxMinor = totalMinor }: RandomPlan) => ({
  minMinor,
  maxMinor,
});
