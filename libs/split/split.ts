import { invariant } from '../invariant';
import { type AmountCount, kindOf } from './kinds';
import { Keystream } from './keystream';
import type { RandomValues } from './random-values';
import { checkSplit, packetBounds, type SplitTerms } from './split-terms';

export interface SplitRequest extends SplitTerms {
  /** 64 hexadecimal digits, from `newSeed()`; secret until the end: it reveals every amount. */
  readonly seed: string;
}

/**
 * Returns the amounts of an activity's packets, in minor units, in the order in which the packets
 * will be handed out.
 *
 * There are always exactly `packetCount` amounts, they add up to exactly `totalMinor`, and each is within the
 * bounds and at least 1. The same request gives the same amounts on every machine and in every version: the
 * seed is recorded, and an auditor may draw the amounts again. A change to the order or the number of the
 * draws would contradict every recorded split, which is why a test pins some amounts.
 *
 * **No position is luckier than another.** The last step of every kind is a shuffle in which all
 * orders are equally likely. So the amounts are exchangeable: all users, from the first to the
 * last, face the same distribution, whatever happened before the shuffle. The kinds differ only in
 * the amounts that are shuffled:
 *
 * - `tiers`: the amounts as given.
 * - `equal`: the total divided by the count, rounded down. The remainder is the number of packets
 *   that get one unit more. Amounts differ by one unit at most; the shuffle decides who gets it.
 * - `random`: drawn one after the other. With `mean` = rest / packets left, each draw is uniform on
 *   the widest interval around that mean which the bounds allow: from mean − d to mean + d, where d
 *   = min(mean − min, max − mean). The last packet takes the rest.
 *
 * **The distribution of `random`.** Let m be the overall mean, n the count, and d as above with m
 * for the mean.
 *
 * - Mean: exactly m for every packet.
 * - Range: nearly every packet is within m ± d. The mean of the rest wanders, especially when few packets are
 *   left, and moves the interval with it: of many packets, about √n / 3 end up above m + d, unless a max
 *   forbids it. No packet is ever outside [min, max], nor above total − (n − 1) · min.
 * - Spread: one uniform draw has the standard deviation d / √3 = 0.577 d. The wandering mean adds
 *   to it: without a max a packet has 0.577 d for n = 2, 0.658 d for n = 5 (the most), 0.647 d for
 *   n = 10, 0.594 d for n = 100, and 0.577 d again for large n.
 * - Shape: nearly flat and symmetric. About half of the packets are above the mean, and a packet of almost
 *   nothing is about as likely as a packet of nearly twice the mean.
 *
 * **Why this one**, and what was rejected: decision 11. Without a max, d = mean − min, which is the "double
 * mean" that people know from red packets. Handed out in the order of the drawing, the last two packets of
 * ten would vary 33 % more than the first; the shuffle removes that difference.
 *
 * @throws SplitInfeasible before anything is drawn, if no split can meet the terms
 */
export function drawAmounts(terms: SplitTerms, values: RandomValues): BigInt64Array {
  checkSplit(terms);
  const amounts = plannedAmounts(terms, values);
  shuffle(amounts, values);
  verify(amounts, terms);
  return BigInt64Array.from(amounts, BigInt);
}

/** Version 1, which drew packets until batches were committed to. */
export function splitAmount({ seed, ...terms }: SplitRequest): BigInt64Array {
  return drawAmounts(terms, new Keystream(seed));
}

function plannedAmounts(terms: SplitTerms, values: RandomValues): Float64Array {
  const amounts = new Float64Array(terms.packetCount);
  const kind = kindOf(terms.plan);
  if ('amounts' in kind) fill(amounts, kind.amounts(terms, terms.plan));
  else kind.drawInto(amounts, terms, terms.plan, values);
  return amounts;
}

function fill(amounts: Float64Array, counts: readonly AmountCount[]): void {
  let start = 0;
  for (const { amountMinor, count } of counts) {
    amounts.fill(Number(amountMinor), start, start + count);
    start += count;
  }
}

/** Fisher–Yates: every order is equally likely. */
function shuffle(amounts: Float64Array, values: RandomValues): void {
  for (let index = amounts.length - 1; index > 0; index--) {
    const other = values.below(index + 1);
    const amount = amounts[index]!;
    amounts[index] = amounts[other]!;
    amounts[other] = amount;
  }
}

/** Money is about to be promised, so the result itself is checked, regardless of the proof. */
function verify(amounts: Float64Array, terms: SplitTerms): void {
  const { leastMinor, mostMinor } = packetBounds(terms);
  const [min, max] = [Number(leastMinor), Number(mostMinor)];
  let sum = 0;
  for (const amount of amounts) {
    invariant(amount >= min && amount <= max, () => `A packet of ${amount} is outside ${min} to ${max}.`);
    sum += amount;
  }
  invariant(BigInt(sum) === terms.totalMinor, () => `The packets add up to ${sum}, not ${terms.totalMinor}.`);
}
