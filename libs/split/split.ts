import { invariant } from '../invariant';
import { Keystream } from './keystream';
import type { RandomValues } from './random-values';
import { boundsMinor, checkSplit, type Bounds, type SplitTerms, type Tier } from './split-terms';

export interface SplitRequest extends SplitTerms {
  /** 64 hexadecimal digits, from `newSeed()`; secret until the end: it reveals every amount. */
  readonly seed: string;
}

/**
 * Returns the amounts of an activity's packets, in minor units, in the order in which the packets
 * will be handed out.
 *
 * Some things always hold. There are exactly `packetCount` amounts, they add up to exactly
 * `totalMinor`, and each is within the bounds and at least 1. The same request gives the same
 * amounts on every machine and in every version: the seed is recorded, and an auditor may draw the
 * amounts again. A change to the order or the number of the draws would contradict every recorded
 * split, which is why a test pins some amounts.
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
 * - Range: nearly every packet is within m ± d. The mean of the rest wanders, most of all when few
 *   packets are left, and takes the interval along: of many packets, about √n / 3 end up above m +
 *   d, where no max forbids it. No packet is ever outside [min, max], nor above total − (n − 1) ·
 *   min.
 * - Spread: one uniform draw has the standard deviation d / √3 = 0.577 d. The wandering mean adds
 *   to it: without a max a packet has 0.577 d for n = 2, 0.658 d for n = 5 (the most), 0.647 d for
 *   n = 10, 0.594 d for n = 100, and 0.577 d again for large n.
 * - Shape: nearly flat and symmetric. About half of the packets are above the mean, and a packet of
 *   next to nothing is about as likely as one of nearly twice the mean.
 *
 * **Why this one**, and what was rejected: decision 11. Without a max, d = mean − min, which is the
 * "double mean" that people know from red packets. Handed out in the order of the drawing, the last
 * two packets of ten would vary 33 % more than the first; the shuffle takes that away.
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
  const total = Number(terms.totalMinor);
  const amounts = new Float64Array(terms.packetCount);
  switch (terms.plan.kind) {
    case 'random':
      return drawRandom(amounts, total, boundsMinor(terms), values);
    case 'equal':
      return fillEqual(amounts, total);
    case 'tiers':
      return fillTiers(amounts, terms.plan.tiers);
  }
}

/**
 * One draw in whole units. The mean and d are seldom whole, so `reach` is d rounded down, and
 *
 *     amount = floor((rest − reach · left + u) / left)
 *
 * where u is uniform on 0 … (2 · reach + 1) · left − 1.
 *
 * For a whole mean these are the 2 · reach + 1 integers around it, equally likely. For a mean
 * between q and q + 1 there is one integer more, from q − reach to q + 1 + reach; the two at the
 * ends share the probability of one, in just the proportion that makes the expected amount exactly
 * rest / left, not a rounding of it. A rounded mean would favour or starve the user who comes last.
 *
 * The rest always stays feasible. The largest amount, q + 1 + reach, leaves at least (left − 1) ·
 * min: with reach ≤ q − min and rest ≥ q · left + 1 there remain at least (q − min) · (left − 2)
 * units above that. The smallest amount mirrors it for max. So the last packet, which takes what is
 * left, is within bounds too.
 *
 * Numbers are exact: nothing exceeds 2 · rest + left < 2^53, and the floor (or ceiling) of a
 * quotient of two such integers is exact although the quotient is rounded.
 */
function drawRandom(
  amounts: Float64Array,
  total: number,
  { min, max }: Bounds,
  values: RandomValues,
): Float64Array {
  const last = amounts.length - 1;
  let rest = total;
  for (let index = 0; index < last; index++) {
    const left = amounts.length - index;
    const mean = rest / left;
    const reach = Math.min(Math.floor(mean) - min, max - Math.ceil(mean));
    const amount = Math.floor((rest - reach * left + values.below((2 * reach + 1) * left)) / left);
    amounts[index] = amount;
    rest -= amount;
  }
  amounts[last] = rest;
  return amounts;
}

function fillEqual(amounts: Float64Array, total: number): Float64Array {
  const share = Math.floor(total / amounts.length);
  const remainder = total - share * amounts.length;
  return amounts.fill(share + 1, 0, remainder).fill(share, remainder);
}

function fillTiers(amounts: Float64Array, tiers: readonly Tier[]): Float64Array {
  let start = 0;
  for (const { amountMinor, count } of tiers) {
    amounts.fill(Number(amountMinor), start, start + count);
    start += count;
  }
  return amounts;
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

/** Money is about to be promised, so the result itself is checked, whatever the proof says. */
function verify(amounts: Float64Array, terms: SplitTerms): void {
  const { min, max } = boundsMinor(terms);
  let sum = 0;
  for (const amount of amounts) {
    invariant(amount >= min && amount <= max, () => `A packet of ${amount} is outside ${min} to ${max}.`);
    sum += amount;
  }
  invariant(BigInt(sum) === terms.totalMinor, () => `The packets add up to ${sum}, not ${terms.totalMinor}.`);
}
