import { createHash } from 'node:crypto';
import type { Pace } from '../../../libs/pace';
import { type Activity, plainTerms } from '../../core/activity';

/** An activity as it was created, without what was added later. */
export interface FirstTerms extends Pick<
  Activity,
  'admission' | 'limits' | 'showsBestLuck' | 'sponsorId' | 'parts' | 'opensAt' | 'paced'
> {
  /** Without top-ups, as people read it. */
  readonly totalAmount: string;
  readonly packetCount: number;
  readonly split: object;
}

/**
 * Two activities have the same hash if one is a rehearsal of the other: all terms that decide who wins what, and
 * when after the opening. It leaves out the window, the currency and the channel, in which a rehearsal must differ,
 * and the name and the look, which change no tap.
 */
export function termsHash({
  totalAmount,
  packetCount,
  split,
  paced,
  opensAt,
  parts,
  ...terms
}: FirstTerms): Buffer {
  const { admission, limits, showsBestLuck } = plainTerms({ ...terms, name: '' });
  const first = paced.find(({ firstNo }) => firstNo === 1);
  return createHash('sha256')
    .update(
      canonical({
        ...{ admission, limits, showsBestLuck, sponsorId: terms.sponsorId, packetCount, parts },
        split: amountsWithoutZeros(split),
        totalAmount: withoutZeros(totalAmount),
        pace: first && sinceOpening(first.pace, opensAt.getTime()),
      }),
    )
    .digest();
}

/** Currencies have different decimals: 20 coins are rehearsed by 20.00 of play money. */
const withoutZeros = (amount: string): string =>
  amount.includes('.') ? amount.replace(/\.?0+$/, '') : amount;

/** The same with the texts in a split that are amounts. */
const amountsWithoutZeros = (split: object): unknown =>
  JSON.parse(
    JSON.stringify(split, (_, value: unknown) => (typeof value === 'string' ? withoutZeros(value) : value)),
  );

function sinceOpening(pace: Pace, opensAtMs: number): object {
  if (pace.kind === 'even')
    return { kind: pace.kind, fromMs: pace.fromMs - opensAtMs, untilMs: pace.untilMs - opensAtMs };
  return { kind: pace.kind, waves: pace.waves.map(({ atMs, count }) => ({ atMs: atMs - opensAtMs, count })) };
}

/** JSON with the names of every object in order, and without those that have no value. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    part !== null && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
