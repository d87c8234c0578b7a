import { invariant } from '../invariant';
import { type CurrencyDigits, formatMoney, parseMoney } from '../money';
import { type Pace, paceTerms, type PaceTerms } from '../pace';
import { kindOf, type PublishedPlan, type SplitPlan } from './kinds';
import type { SplitTerms } from './split-terms';

/** The `previous` of a sponsor's first batch. */
export const NO_COMMIT = '0'.repeat(64);

/**
 * The terms to which a batch of packets is committed, as they are published. All values are text,
 * amounts with all decimals of the currency.
 */
export interface BatchTerms extends PublishedPlan {
  /** 3 if a sponsor has brought a word, otherwise 2. */
  readonly v: '2' | '3';
  readonly activity: string;
  /** 0 for the packets of the creation, followed by each top-up and each replacement of a void packet. */
  readonly batch: string;
  readonly count: string;
  readonly total: string;
  readonly currency: string;
  readonly kind: SplitPlan['kind'];
  /** Left out where all packets can be won at once. */
  readonly pace?: PaceTerms;
  /** The commitment of the same sponsor's previous batch, in hexadecimal digits. */
  readonly previous: string;
  /** The commitment of the word, in version 3. */
  readonly commitment?: string;
  readonly sponsorSeed?: string;
}

/**
 * A sponsor's part in a draw: 32 bytes that only they knew when they were given the commitment to the
 * server's seed. Both are in hexadecimal digits.
 */
export interface SponsorWord {
  readonly commitment: string;
  readonly sponsorSeed: string;
}

export interface BatchPlace {
  readonly activityId: string;
  readonly batchNo: number;
  readonly previous: string;
}

export function batchTerms(
  { activityId, batchNo, previous }: BatchPlace,
  { totalMinor, packetCount, plan }: SplitTerms,
  { code, digits }: { readonly code: string; readonly digits: CurrencyDigits },
  pace?: Pace,
  word?: SponsorWord,
): BatchTerms {
  const money = (minor: bigint) => formatMoney(minor, digits);
  return {
    v: word ? '3' : '2',
    activity: activityId,
    batch: String(batchNo),
    previous,
    count: String(packetCount),
    total: money(totalMinor),
    currency: code,
    kind: plan.kind,
    ...kindOf(plan).publishPlan(plan, money),
    ...(pace && { pace: paceTerms(pace) }),
    ...word,
  };
}

/** @throws InvariantViolation when a number or an amount is not written as {@link batchTerms} does */
export function splitTermsOf(terms: BatchTerms): SplitTerms {
  const digits = (terms.total.split('.')[1]?.length ?? 0) as CurrencyDigits;
  const minor = (text: string) => {
    const parsed = parseMoney(text, digits);
    invariant(parsed !== undefined && formatMoney(parsed, digits) === text, `${text} is not an amount.`);
    return parsed;
  };
  const whole = (text: string) => {
    invariant(/^[1-9]\d{0,6}$/.test(text), `${text} is not a number of packets.`);
    return Number(text);
  };
  return {
    totalMinor: minor(terms.total),
    packetCount: whole(terms.count),
    plan: { kind: terms.kind, ...kindOf(terms).readPlan(terms, minor, whole) } as SplitPlan,
  };
}
