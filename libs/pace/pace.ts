/** The most waves of an activity: few enough for a script to find the current one in seven steps. */
export const WAVES_MAX = 100;

/** Plans of an activity, of its creation and of top-ups: a tap may have to walk them. */
export const PLANS_MAX = 8;

/** The largest packets × milliseconds of an even pace: up to here every product is exact. */
export const EVEN_MAX = Number.MAX_SAFE_INTEGER;

export interface Wave {
  readonly atMs: number;
  readonly count: number;
}

/**
 * The plan by which the packets of a creation or a top-up are released, in milliseconds since the
 * epoch.
 *
 * - `even`: one packet at `fromMs`, and the others at equal distances, the last one before
 *   `untilMs`. By the instant t, ⌊count × (t − from) ÷ (until − from)⌋ + 1 packets are released, and
 *   at most `count`.
 * - `waves`: those of each wave at its instant. They ascend.
 */
export type Pace =
  | { readonly kind: 'even'; readonly count: number; readonly fromMs: number; readonly untilMs: number }
  | { readonly kind: 'waves'; readonly waves: readonly Wave[] };

/** A plan as it is published and committed to: all values are text, as in the other terms of a batch. */
export type PaceTerms =
  | { readonly kind: 'even'; readonly from: string; readonly until: string }
  | { readonly kind: 'waves'; readonly waves: readonly { readonly at: string; readonly count: string }[] };

export function paceTerms(pace: Pace): PaceTerms {
  if (pace.kind === 'even') return { kind: 'even', from: instant(pace.fromMs), until: instant(pace.untilMs) };
  return {
    kind: 'waves',
    waves: pace.waves.map(({ atMs, count }) => ({ at: instant(atMs), count: String(count) })),
  };
}

/** @param count the packets of the batch */
export function paceOf(terms: PaceTerms, count: number): Pace {
  if (terms.kind === 'even')
    return { kind: 'even', count, fromMs: Date.parse(terms.from), untilMs: Date.parse(terms.until) };
  return {
    kind: 'waves',
    waves: terms.waves.map(({ at, count }) => ({ atMs: Date.parse(at), count: Number(count) })),
  };
}

/** The number of packets that are released by an instant, as Redis counts them. */
export function releasedBy(pace: Pace, nowMs: number): number {
  if (pace.kind === 'waves')
    return pace.waves.reduce((sum, { atMs, count }) => sum + (atMs <= nowMs ? count : 0), 0);
  const { count, fromMs, untilMs } = pace;
  if (nowMs < fromMs) return 0;
  return Math.min(count, Math.floor((count * (nowMs - fromMs)) / (untilMs - fromMs)) + 1);
}

const instant = (ms: number): string => new Date(ms).toISOString();
