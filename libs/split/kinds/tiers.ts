import { atLeast, demand, isWholeFrom1, WHOLE } from '../split-infeasible';
import type { AmountCount, FixedKind } from './split-kind';

export interface TiersPlan {
  readonly kind: 'tiers';
  readonly tiers: readonly AmountCount[];
}

/** Amounts as given. */
export const tiers: FixedKind<TiersPlan> = {
  checkPlan({ totalMinor, packetCount }, { tiers }) {
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
  },

  publishPlan: ({ tiers }, money) => ({
    tiers: tiers.map(({ amountMinor, count }) => ({ amount: money(amountMinor), count: String(count) })),
  }),

  readPlan: ({ tiers = [] }, minor, whole) => ({
    tiers: tiers.map(({ amount, count }) => ({ amountMinor: minor(amount), count: whole(count) })),
  }),

  amounts: (_, { tiers }) => tiers,
};
