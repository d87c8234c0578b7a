import { invariant } from '../../invariant';
import { equal, type EqualPlan } from './equal';
import { random, type RandomPlan } from './random';
import type { AmountCount, SplitKind, SplitSum } from './split-kind';
import { tiers, type TiersPlan } from './tiers';

export type { AmountCount, PacketBounds, PublishedPlan, SplitSum } from './split-kind';

export type SplitPlan = RandomPlan | EqualPlan | TiersPlan;

const KINDS: { readonly [Kind in SplitPlan['kind']]: SplitKind<Extract<SplitPlan, { kind: Kind }>> } = {
  random,
  equal,
  tiers,
};

export const SPLIT_KINDS = Object.keys(KINDS) as readonly SplitPlan['kind'][];

export function kindOf({ kind }: Pick<SplitPlan, 'kind'>): SplitKind<SplitPlan> {
  invariant(Object.hasOwn(KINDS, kind), () => `No split plan is called "${kind}".`);
  return KINDS[kind];
}

/** Returns the amounts of a plan without chance, and undefined if they have to be drawn. */
export function fixedAmounts(sum: SplitSum, plan: SplitPlan): readonly AmountCount[] | undefined {
  const kind = kindOf(plan);
  return 'amounts' in kind ? kind.amounts(sum, plan).filter(({ count }) => count > 0) : undefined;
}
