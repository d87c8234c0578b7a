import type { Schema } from '../../../../../../libs/client';

type Taps = NonNullable<Schema<'ProgressDto'>['taps']>;

/** Counts are added up once a second: closer samples say little. */
const APART_MS = 900;

/** All figures come from one sample, so that there are never more wins than taps. */
export interface TapFigures {
  readonly all: number;
  readonly won: number;
  readonly soldOut: number;
  readonly perSecond: number;
  readonly winsPerSecond: number;
  /** The average since the last sample; undefined without taps. */
  readonly answeredInMs?: number;
  /** The speed at each sample except the first, which has none. */
  readonly seen: readonly TapRate[];
}

/** The speed at an instant; null while nobody was looking. */
export interface TapRate {
  readonly atMs: number;
  readonly perSecond: number | null;
  readonly winsPerSecond: number | null;
}

/** An hour of seconds. */
const SEEN_MAX = 3_600;
/** An average over a longer time is not a speed. */
const GAP_MS = 20_000;

const allOf = ({ won, already, reserved, soldOut, notOpen, notYet, closed, limit }: Taps): number =>
  won + already + reserved + soldOut + notOpen + notYet + closed + limit;

/** Turns the counts of taps, as they are drawn, into figures. */
export class TapWatch {
  private last?: { readonly taps: Taps; readonly atMs: number; readonly figures: TapFigures };

  /**
   * @param nowMs by a clock that never jumps
   *
   * A page draws the same counts again whenever anything else on it changes: that is not a new sample.
   */
  figuresOf(taps: Taps | null | undefined, nowMs: number): TapFigures | undefined {
    const { last } = this;
    if (taps && taps !== last?.taps && !(last && nowMs - last.atMs < APART_MS))
      this.last = { taps, atMs: nowMs, figures: last ? between(last, taps, nowMs) : still(taps) };
    return this.last?.figures;
  }
}

const still = (taps: Taps): TapFigures => ({
  all: allOf(taps),
  won: taps.won,
  soldOut: taps.soldOut,
  perSecond: 0,
  winsPerSecond: 0,
  seen: [],
});

function between(
  before: { readonly taps: Taps; readonly atMs: number; readonly figures: TapFigures },
  now: Taps,
  nowMs: number,
): TapFigures {
  const seconds = (nowMs - before.atMs) / 1000;
  const rate = (countOf: (taps: Taps) => number) =>
    Math.max(0, Math.round((countOf(now) - countOf(before.taps)) / seconds));
  const count = allOf(now) - allOf(before.taps);
  const [perSecond, winsPerSecond] = [rate(allOf), rate(({ won }) => won)];
  const isGap = nowMs - before.atMs > GAP_MS;
  const seen = isGap
    ? { atMs: nowMs, perSecond: null, winsPerSecond: null }
    : { atMs: nowMs, perSecond, winsPerSecond };
  return {
    ...still(now),
    perSecond,
    winsPerSecond,
    seen: [...before.figures.seen, seen].slice(-SEEN_MAX),
    answeredInMs: count > 0 ? Math.round((now.milliseconds - before.taps.milliseconds) / count) : undefined,
  };
}
