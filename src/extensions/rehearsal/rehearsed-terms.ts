import { createHash } from 'node:crypto';
import type { Pace } from '../../../libs/pace';
import { type Activity, plainTerms } from '../../core/activity';

/** An activity as it was created, without what was added later. */
export interface FirstTerms extends Pick<
  Activity,
  'limits' | 'showsBestLuck' | 'sponsorId' | 'parts' | 'opensAt' | 'paced'
> {
  /** Without top-ups, as people read it. */
  readonly totalAmount: string;
  readonly packetCount: number;
  readonly split: object;
}

/**
 * Two activities have the same hash if one is a rehearsal of the other: all terms that decide who wins what, and
 * when after the opening. It leaves out the window, the currency and the channel, in which a rehearsal must differ,
 * tickets and the audience, which decide only who is let in, and the name and the look, which change no tap.
 * @param decimals those of play money: what an amount has beyond them cannot be rehearsed
 */
export function termsHash(
  { totalAmount, packetCount, split, paced, opensAt, parts, ...terms }: FirstTerms,
  decimals: number,
): Buffer {
  const { limits, showsBestLuck } = plainTerms({ ...terms, name: '' });
  const first = paced.find(({ firstNo }) => firstNo === 1);
  return createHash('sha256')
    .update(
      canonical({
        // As of a rain without tickets, which is what a crowd rehearses.
        admission: 'open',
        ...{ limits, showsBestLuck, sponsorId: terms.sponsorId, packetCount, parts },
        split: amountsIn(split, decimals),
        totalAmount: amountIn(totalAmount, decimals),
        pace: first && sinceOpening(first.pace, opensAt.getTime()),
      }),
    )
    .digest();
}

/** Currencies have different decimals: 20 coins are rehearsed by 20.00 of play money, and 1.257 dinars by 1.25. */
function amountIn(text: string, decimals: number): string {
  const [whole, fraction] = text.split('.');
  const kept = fraction?.slice(0, decimals).replace(/0+$/, '');
  return kept ? `${whole}.${kept}` : whole!;
}

/** The same with the texts in a split that are amounts. */
const amountsIn = (split: object, decimals: number): unknown =>
  JSON.parse(
    JSON.stringify(split, (_, value: unknown) =>
      typeof value === 'string' ? amountIn(value, decimals) : value,
    ),
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
