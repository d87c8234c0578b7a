import type { RandomValues } from '../random-values';

/** The amount and count to split, whatever the kind. */
export interface SplitSum {
  readonly totalMinor: bigint;
  readonly packetCount: number;
}

/** The smallest and the largest packet that feasible terms can deal, in minor units. */
export interface PacketBounds {
  readonly leastMinor: bigint;
  readonly mostMinor: bigint;
}

export interface AmountCount {
  readonly amountMinor: bigint;
  readonly count: number;
}

/** The terms of a plan as a batch publishes them: text, amounts with all decimals of the currency. */
export interface PublishedPlan {
  readonly min?: string;
  readonly max?: string;
  readonly tiers?: readonly { readonly amount: string; readonly count: string }[];
}

interface PlanTerms<Plan> {
  /** @throws SplitInfeasible unless a split of the sum meets the plan; costs the same for any packetCount */
  checkPlan(sum: SplitSum, plan: Plan): void;
  publishPlan(plan: Plan, money: (minor: bigint) => string): PublishedPlan;
  /** Reads what `publishPlan` has written. */
  readPlan(
    published: PublishedPlan,
    minor: (text: string) => bigint,
    whole: (text: string) => number,
  ): Omit<Plan, 'kind'>;
}

/** A split whose amounts are known from its terms, so that only their order is random. */
export interface FixedKind<Plan> extends PlanTerms<Plan> {
  /** The order is the one in which they are shuffled: recorded splits depend on it. */
  amounts(sum: SplitSum, plan: Plan): readonly AmountCount[];
}

/** A split whose amounts are drawn. */
export interface DrawnKind<Plan> extends PlanTerms<Plan> {
  bounds(sum: SplitSum, plan: Plan): PacketBounds;
  /** Fills all of `amounts`. */
  drawInto(amounts: Float64Array, sum: SplitSum, plan: Plan, values: RandomValues): void;
}

/** A way to split an amount. Nothing else in this library depends on the kind. */
export type SplitKind<Plan> = FixedKind<Plan> | DrawnKind<Plan>;
