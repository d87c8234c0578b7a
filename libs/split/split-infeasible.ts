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

export const WHOLE: BrokenRule = { rule: 'whole-number' };

export const atLeast = (limitMinor: bigint): BrokenRule => ({ rule: 'minimum', limitMinor });

export const atMost = (limitMinor: bigint, other?: SplitField): BrokenRule => ({
  rule: 'maximum',
  limitMinor,
  other,
});

export function isWholeFrom1(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 1;
}

export function demand(
  condition: boolean,
  field: SplitField,
  reason: string,
  broken: BrokenRule,
): asserts condition {
  if (!condition) throw new SplitInfeasible(field, reason, broken);
}
